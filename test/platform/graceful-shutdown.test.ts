import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { gracefulShutdown } from '../../src/platform/server/graceful-shutdown.js'

/** A server with one request under way, which is answered when the test says so. */
async function busyServer(t: Test) {
  const app = Fastify()
  await app.register(gracefulShutdown)
  let answer: (text: string) => void = () => {}
  let begun: () => void = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  app.get('/', () => {
    begun()
    return new Promise<string>((resolve) => {
      answer = resolve
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
  return { app, received, answer: (text: string) => answer(text) }
}

t.test('answers a request in flight and closes its connection', async (t) => {
  const { app, received, answer } = await busyServer(t)
  const drained = app.drain(100_000)
  answer('done')
  await drained
  const text = await received()
  t.match(text, /^HTTP\/1\.1 200/)
  t.match(text, /connection: close/i)
  t.match(text, /done$/)
})

t.test('cuts a request that exceeds the shutdown timeout', async (t) => {
  const { app, received, answer } = await busyServer(t)
  let isCut = true
  // So that a server that cuts nothing ends as well.
  const rescue = pause(10_000, undefined, { ref: false }).then(() => {
    isCut = false
    answer('late')
  })
  await Promise.race([app.drain(50), rescue])
  t.equal(await received(), '')
  t.ok(isCut)
})
