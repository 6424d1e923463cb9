import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Milliseconds of a response, a little less than `REMOTE_TIMEOUT`. */
const DELAY_MS = 2500

/** A clinical FHIR server that has every resource, and responds slowly. */
export async function slowClinicalServer() {
  const server = createServer(({ url = '' }, response) => {
    const [id, resourceType] = url.split('/').reverse()
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/fhir+json' })
      response.end(JSON.stringify({ resourceType, id }))
    }, DELAY_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { base: `http://127.0.0.1:${port}`, close }
}
