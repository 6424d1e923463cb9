import { once } from 'node:events'
import type { Socket } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { limitUnread } from '../../src/platform/server/overload.js'
import { listenOnLoopback, wire } from '../fixtures/wire.js'

const forever = 2 ** 31 - 1
/** More than the socket buffers of a connection hold. */
const SIZE = 64_000_000

async function serverOf(t: Test, timeoutMs: number, maxUnreadBytes: number) {
  const app = Fastify()
  const limits = { responseTimeout: timeoutMs, unread: maxUnreadBytes }
  app.addHook('onSend', limitUnread(app, { limits }))
  const content = Buffer.alloc(SIZE, 'x')
  app.get('/', async () => content)
  const port = await listenOnLoopback(app)
  t.teardown(() => app.close())
  const get = 'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'

  /** A client that does not read, and the server's end of its connection. */
  async function reluctant() {
    const connected = once(app.server, 'connection') as Promise<[Socket]>
    const { socket } = wire(t, port)
    socket.pause()
    socket.write(get)
    const [serverSide] = await connected
    return { socket, serverSide }
  }

  /** The number of bytes that a reading client gets. */
  async function willing(): Promise<number> {
    const { send, closed } = wire(t, port)
    send(get)
    const [response] = await closed()
    return response?.text.length ?? 0
  }
  return { reluctant, willing }
}

t.test('disconnects a client that does not read its response', async (t) => {
  const { reluctant } = await serverOf(t, 200, forever)
  const { serverSide } = await reluctant()
  await once(serverSide, 'close')
  t.ok(serverSide.destroyed)
})

t.test('disconnects the clients that wait longest when too many bytes are unread', async (t) => {
  const { reluctant, willing } = await serverOf(t, forever, SIZE * 2.5)
  const first = await reluctant()
  const second = await reluctant()
  const cut = once(first.serverSide, 'close')
  t.equal(await willing(), SIZE, 'a client that reads gets everything')
  await cut
  t.notOk(second.serverSide.destroyed)
  t.equal(await willing(), SIZE)
  t.notOk(second.serverSide.destroyed, 'read bytes do not count')
})
