import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf, tokenOf } from '../fixtures/callers.js'
import { readyServer } from '../fixtures/server.js'
import { headOf, type Wire, wire } from '../fixtures/wire.js'
import { catalogue, orders, organization } from '../fixtures/world.js'

/** Bytes of a body. The client does not send the last byte. */
const SIZE = 10 * 1_048_576
const CONNECTIONS = 100
const block = Buffer.alloc(65_536, ' ')
const part = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n')
const [ofLength, chunked] = [`content-length: ${SIZE}`, 'transfer-encoding: chunked']
const form = 'multipart/form-data; boundary=b'
const items = `${catalogue}/catalogue-items`
const excel = '/ssl-catalogue-excel/v1/catalogue'

const inOnePiece = (bytes: Buffer) => bytes
const asChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const forms = {
  'announced bodies': { path: items, type: 'application/json', length: ofLength, framed: inOnePiece },
  'chunked bodies': { path: items, type: 'application/json', length: chunked, framed: asChunk },
  uploads: { path: excel, type: form, length: ofLength, framed: inOnePiece },
  'chunked uploads': { path: excel, type: form, length: chunked, framed: asChunk }
}

t.test('incomplete bodies leave memory to other callers', async (t) => {
  const server = await readyServer(t, { DATABASE_URL: await cloneDatabase(t) })
  const { port } = new URL(server.url)
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
        const name = `user ${at % 14}`
        const token = tokenOf('AdministrativeClerk', `region ${at % 4}`, { name })
        const lines = [`authorization: ${token}`, `content-type: ${type}`, length]
        return sendAlmostAll(connection, headOf('POST', path, ...lines), framed)
      })
    )
    const unanswered = () => connections.filter(({ received }) => received() === '').length
    // 128 MiB hold the bodies of twelve callers.
    while (unanswered() > 12) await pause(10)
    t.ok(unanswered() > 0, `${what}: ${unanswered()} of ${CONNECTIONS} are held`)
    for (const connection of connections)
      t.match(connection.received().slice(0, 12), /^$|^HTTP\/1\.1 (429|503)$/, what)
    const neighbour = callersOf(server.url)('AdministrativeClerk', organization('neighbour'))
    const { status } = await neighbour.get(`${orders}/parties`)
    t.equal(status, 200, `${what}: another caller gets its response`)
    // Half of the memory of an instance in deploy/. Without the limit the bodies need 1,000 MB.
    t.ok(residentMegabytes() < 512, `${what}: ${Math.round(residentMegabytes())} MB`)
    for (const { socket } of connections) socket.destroy()
  }
})
