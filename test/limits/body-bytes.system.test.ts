import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startServer } from '../fixtures/server.js'
import { type Wire, wire } from '../fixtures/wire.js'
import { catalogue, orders, organization } from '../fixtures/world.js'

/** Bytes of a body, of which the last is held back. */
const SIZE = 10 * 1_048_576
const CONNECTIONS = 100
const block = Buffer.alloc(65_536, ' ')
const part = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n')
const ofLength = `content-length: ${SIZE}`
const items = `${catalogue}/catalogue-items`
const excel = '/ssl-catalogue-excel/v1/catalogue'

const inOnePiece = (bytes: Buffer) => bytes
const asChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const forms = {
  'announced bodies': { path: items, type: 'application/json', length: ofLength, framed: inOnePiece },
  'chunked bodies': {
    path: items,
    type: 'application/json',
    length: 'transfer-encoding: chunked',
    framed: asChunk
  },
  uploads: { path: excel, type: 'multipart/form-data; boundary=b', length: ofLength, framed: inOnePiece },
  'chunked uploads': {
    path: excel,
    type: 'multipart/form-data; boundary=b',
    length: 'transfer-encoding: chunked',
    framed: asChunk
  }
}

t.test('bodies that are held back leave memory to other callers', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t) })
  await server.ready()
  const { port } = new URL(server.url)
  const tokenOf = (at: number, of: string) =>
    unsignedToken({ userType: 'AdministrativeClerk', organization: organization(of), name: `user ${at}` })
  const residentMegabytes = () => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
  }

  /** Sends a body without its last byte, until it is rejected. */
  async function sendAlmostAll({ socket, received }: Wire, head: string, framed: (bytes: Buffer) => Buffer) {
    const send = (bytes: Buffer) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    await send(Buffer.from(head))
    await send(framed(part))
    for (let left = SIZE - part.length - 1; left > 0 && received() === ''; left -= block.length)
      await send(framed(block.subarray(0, Math.min(left, block.length))))
  }

  for (const [what, { path, type, length, framed }] of Object.entries(forms)) {
    const connections = Array.from({ length: CONNECTIONS }, () => wire(t, Number(port)))
    await Promise.all(
      connections.map((connection, at) => {
        const authorization = tokenOf(at % 14, `region ${at % 4}`)
        const lines = ['host: localhost', `authorization: ${authorization}`, `content-type: ${type}`, length]
        return sendAlmostAll(connection, [`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), framed)
      })
    )
    const unanswered = () => connections.filter(({ received }) => received() === '').length
    // 128 MiB are the bodies of twelve.
    while (unanswered() > 12) await pause(10)
    t.ok(unanswered() > 0, `${what}: ${unanswered()} of ${CONNECTIONS} are held`)
    for (const connection of connections)
      t.match(connection.received().slice(0, 12), /^$|^HTTP\/1\.1 (429|503)$/, what)
    const authorization = tokenOf(0, 'neighbour')
    const response = await fetch(`${server.url}${orders}/parties`, { headers: { authorization } })
    t.equal(response.status, 200, `${what}: another caller gets its response`)
    t.ok(residentMegabytes() < 450, `${what}: ${Math.round(residentMegabytes())} MB`)
    for (const { socket } of connections) socket.destroy()
  }
})
