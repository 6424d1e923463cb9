import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { testApp } from '../../fixtures/app.js'
import { browserFor, eventually, skipBrowser } from '../../fixtures/browser.js'
import { validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { providerToken, uploadPage } from '../../fixtures/excel/upload-page.js'
import { catalogue, world } from '../../fixtures/world.js'

/** A reverse proxy that loses the whole or half of the response to an import. */
async function front(t: Test, app: FastifyInstance, lost: 'all' | 'half'): Promise<string> {
  const server = createServer(async (request, response) => {
    const { statusCode, headers, rawPayload: body } = await passed(app, request)
    const isLost = request.url?.endsWith('dryRun=false')
    if (isLost && lost === 'all') return response.destroy()
    // On a reused connection a browser resends an upload without a response.
    response.writeHead(statusCode, { ...headers, connection: 'close' })
    if (!isLost) return response.end(body)
    response.write(body.subarray(0, body.length / 2), () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function passed(app: FastifyInstance, request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = 'GET', url = '', headers } = request
  return app.inject({ method: method as 'GET', url, headers, payload: Buffer.concat(chunks) })
}

t.test('when the response to an import is lost, the page', { skip: skipBrowser }, async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  const browser = await browserFor(t)
  const count = async () => (await provider.get(`${catalogue}/catalogues`)).body.length

  for (const lost of ['all', 'half'] as const)
    await t.test(`says that its outcome is unknown: ${lost} of it`, async (t) => {
      const before = await count()
      const person = await uploadPage(browser, await front(t, app.app, lost))
      await person.give(providerToken)
      // A second catalogue with the same identifier would be rejected.
      await person.choose(await validWorkbook(`Home devices ${lost}`))
      await person.take('check')
      t.match(await (await person.take('import')).innerText(), /may or may not have been imported/)
      t.equal(await count(), before + 1, 'here it was written')
      await eventually(t, () => person.isOpen('import'), false, 'it cannot be repeated without a check')
      await person.page.close()
    })
})
