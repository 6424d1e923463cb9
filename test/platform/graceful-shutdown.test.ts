import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { Agent } from 'undici'
import { loadConfig } from '../../fastify.config.js'
import { pingDatabase } from '../../src/db/driver/database.js'
import { closeAtShutdown, limitConnections } from '../../src/platform/server/connections.js'
import { openPorts } from '../../src/ports.js'
import { cloneDatabase } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'

/** A timeout in milliseconds that no test waits for. */
const LONG = 100_000

/** A server with a route whose response the test sends, and clients on sockets of their own. */
async function startServer(t: Test) {
  // Node closes no idle connection by itself.
  const app = Fastify({ return503OnClosing: false, keepAliveTimeout: 0 })
  app.addHook('onRequest', limitConnections(app))
  app.addHook('onSend', closeAtShutdown(app))
  let response: (text: string) => void = () => {}
  let begun: () => void = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const wait = () => {
    begun()
    return new Promise<string>((resolve) => {
      response = resolve
    })
  }
  app.get('/slow', wait)
  app.get('/kept', async (_request, reply) => {
    reply.hijack()
    // The headers are sent before the shutdown and keep the connection alive.
    reply.raw.writeHead(200, { 'content-length': 4 }).flushHeaders()
    reply.raw.end(await wait())
  })
  for (const method of ['GET', 'POST'] as const) app.route({ method, url: '/', handler: async () => 'fast' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  t.teardown(() => app.server.closeAllConnections())

  function client(head: string) {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    const refused = once(socket, 'error').then(([error]) => error.code)
    const closed = once(socket, 'close').then(() => text)
    closed.catch(() => {})
    if (head !== '') socket.write(`${head} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    return { closed, refused, socket }
  }
  return { app, client, hasBegun, response: (text: string) => response(text) }
}

t.test('does not wait for a connection that becomes idle during the shutdown', async (t) => {
  const { app, client, hasBegun, response } = await startServer(t)
  const { closed } = client('GET /kept')
  await hasBegun
  const drained = app.shutDown({ delayMs: 0, timeoutMs: LONG })
  response('last')
  await drained
  t.match(await closed, /^HTTP\/1\.1 200[\s\S]*last$/)
})

t.test(
  'first serves all requests, then closes reads and rejects writes, then accepts no connections',
  async (t) => {
    const clock = clockOf(t, true)
    const { app, client } = await startServer(t)
    const kept = client('GET /')
    await once(kept.socket, 'data')
    t.equal(app.isShuttingDown, false)
    const drained = app.shutDown({ delayMs: LONG, timeoutMs: LONG })
    t.equal(app.isShuttingDown, true)

    for (const head of ['GET /', 'POST /']) {
      const text = await client(head).closed
      t.match(text, /^HTTP\/1\.1 200[\s\S]*fast$/, head)
      t.match(text, /connection: close/i, head)
    }
    t.notOk(kept.socket.destroyed, 'a connection that is not used stays open')

    clock.pass(LONG)
    await new Promise(setImmediate)
    t.equal(await client('GET /').closed.catch((error) => error.code ?? ''), '', 'without a response')
    t.match(await client('POST /').closed, /^HTTP\/1\.1 200[\s\S]*fast$/)

    let isDrained = false
    void drained.then(() => {
      isDrained = true
    })
    for (; !isDrained; await new Promise(setImmediate)) clock.pass(50)
    t.equal(await client('POST /').refused, 'ECONNREFUSED')
    t.match(await kept.closed, /fast$/)
  }
)

t.test('responds on connections that were opened last, unless they stay unused', async (t) => {
  const clock = clockOf(t, true)
  const { app, client } = await startServer(t)
  const [writer, unused] = [client(''), client('')]
  await Promise.all([once(writer.socket, 'connect'), once(unused.socket, 'connect')])
  const drained = app.shutDown({ delayMs: LONG, timeoutMs: LONG })
  clock.pass(LONG)
  for (; app.server.listening; await new Promise(setImmediate)) clock.pass(50)

  writer.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  t.match(await writer.closed, /^HTTP\/1\.1 200[\s\S]*fast$/)
  t.notOk(unused.socket.destroyed, 'a proxy may still send a request')

  let isDrained = false
  void drained.then(() => {
    isDrained = true
  })
  for (let turns = 0; turns < 100 && !isDrained; turns++, await new Promise(setImmediate)) clock.pass(25)
  t.ok(isDrained)
  t.equal(await unused.closed, '')
})

t.test('closes the port in a turn of the event loop without other work', async (t) => {
  const clock = clockOf(t, true)
  const { app, client } = await startServer(t)
  await once(client('').socket, 'connect')
  const drained = app.shutDown({ delayMs: LONG, timeoutMs: LONG })
  clock.pass(LONG)
  // A turn of the event loop in which requests take this time.
  const turn = (milliseconds: number) => {
    clock.pass(milliseconds)
    return new Promise(setImmediate)
  }
  for (const end = performance.now() + 3000; performance.now() < end; ) await turn(5)
  for (let turns = 0; turns < 12; turns++) await turn(5)
  t.ok(app.server.listening, 'a connection may have arrived meanwhile')
  for (let turns = 0; turns < 5; turns++) await turn(0)
  t.notOk(app.server.listening)
  for (let turns = 0; turns < 100; turns++) await turn(25)
  await drained
})

t.test('closes the database when the client of an upstream cannot be closed', async (t) => {
  const config = loadConfig({
    TERMINOLOGY_URL: 'http://127.0.0.1:9',
    CLINICAL_FHIR_URL: 'http://127.0.0.1:9'
  })
  const { ports, close } = await openPorts(config, await cloneDatabase(t), { info() {}, warn() {} })
  t.intercept(Agent.prototype, 'close', { value: () => Promise.reject(new Error('not closed')) })
  await t.rejects(close(), { message: 'not closed' })
  await t.rejects(pingDatabase(ports.db), { cause: { code: 'CONNECTION_ENDED' } })
})
