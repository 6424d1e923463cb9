import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { gracefulShutdown } from '../../src/platform/server/graceful-shutdown.js'
import { clockOf } from '../fixtures/clock.js'

/** A server with one request in flight; the test sends the response. */
async function busyServer(t: Test) {
  const app = Fastify()
  await app.register(gracefulShutdown)
  let response: (text: string) => void = () => {}
  let begun: () => void = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  app.get('/', () => {
    begun()
    return new Promise<string>((resolve) => {
      response = resolve
    })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  t.teardown(() => app.server.closeAllConnections())
  const socket = connect(port, '127.0.0.1')
  const chunks: string[] = []
  socket.setEncoding('utf8').on('data', (chunk) => chunks.push(String(chunk)))
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await hasBegun
  const received = async () => {
    await closed
    return chunks.join('')
  }
  return { app, received, response: (text: string) => response(text) }
}

t.test('answers a request in flight and closes its connection', async (t) => {
  const { app, received, response } = await busyServer(t)
  const drained = app.shutDown(100_000)
  response('done')
  await drained
  const text = await received()
  t.match(text, /^HTTP\/1\.1 200/)
  t.match(text, /connection: close/i)
  t.match(text, /done$/)
})

t.test('cuts a request that exceeds the shutdown timeout', async (t) => {
  const clock = clockOf(t)
  const { app, received } = await busyServer(t)
  const drained = app.shutDown(100_000)
  clock.pass(100_000)
  await drained
  t.equal(await received(), '')
})
