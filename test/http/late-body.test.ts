import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { headOf, listenOnLoopback, wire } from '../fixtures/wire.js'
import { orders, patient } from '../fixtures/world.js'

const authorization = `authorization: ${tokenOf('MonitoringResponsible')}`
const search = `?patient=${encodeURIComponent(patient('Zaphod-4711'))}&q=Zaphod-4711`
const head = (method: string, path: string, length: number) =>
  headOf(method, `${orders}/${path}${search}`, authorization, json, `content-length: ${length}`)
const json = 'content-type: application/json'

/** Blocks the event loop, as load does. */
function busyFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

t.test('a late body', async (t) => {
  const { app, sql, lines } = await testApp(t, { REQUEST_TIMEOUT: '1000' })
  const port = await listenOnLoopback(app)
  const records = async () => [
    ...(await sql`select problem, request_id from audit_events order by recorded, id`)
  ]

  t.test('a request whose deadline passes while the event loop is blocked gets one response', async (t) => {
    const { send, socket, until, closed } = wire(t, port)
    const handled = once(app.server, 'request')
    send(head('GET', 'orders', 0))
    await handled
    await turn()
    // Longer than every timer of the request.
    busyFor(2500)
    await until('busy')
    socket.end()
    t.match(await closed(), [{ status: 503, body: { code: 'busy' } }])
  })

  t.test(
    'a response that is sent in time meets its deadline although its client does not read it',
    async (t) => {
      const { send, socket } = wire(t, port)
      socket.pause()
      let handled = 0
      app.server.on('request', () => handled++)
      // More bytes than the sockets hold.
      send(headOf('GET', `${orders}/openapi.json`).repeat(60))
      while (handled < 60) await turn()
      busyFor(2500)
      await turn()
      t.equal(handled, 60)
    }
  )

  t.test('a missing body is rejected once and recorded', async (t) => {
    const before = (await records()).length
    const { send, closed } = wire(t, port)
    send(`${head('POST', 'order', 1000)}{"na`)
    const responses = await closed()
    t.match(responses, [{ status: 408, headers: { connection: 'close' }, body: { code: 'request-timeout' } }])
    while ((await records()).length === before) await turn()
    const id = responses[0]?.headers['x-request-id']
    t.equal(responses[0]?.body.instance, id)
    t.same((await records()).slice(before), [{ problem: 'incomplete-request', request_id: id }])
  })

  t.test('a body that its client aborts, or that closes without an error, is no server error', async (t) => {
    const { app, sql, lines } = await testApp(t)
    const port = await listenOnLoopback(app)
    const records = () => sql`select problem from audit_events`
    const isLogged = () => lines.some((line) => line.includes('aborted by the client'))
    const startBody = async () => {
      const { send, socket } = wire(t, port)
      const handled = once(app.server, 'request')
      send(`${head('POST', 'order', 1000)}{"na`)
      const [request]: IncomingMessage[] = await handled
      return { request, socket }
    }
    const aborted = await startBody()
    aborted.socket.resetAndDestroy()
    while (!isLogged() || (await records()).length < 1) await turn()
    const { request } = await startBody()
    while (request?.listenerCount('readable') === 0) await turn()
    request?.destroy()
    while ((await records()).length < 2) await turn()
    const wanted = { problem: 'incomplete-request' }
    t.same([...(await records())], [wanted, wanted])
    t.same(
      lines.filter((line) => JSON.parse(line).level >= 50),
      [],
      'no line of the log blames the server'
    )
  })

  t.test('Fastify logs no warning', async (t) => {
    const logged = lines.map((line) => JSON.parse(line))
    t.same(
      logged.filter(({ level, msg, reqId }) => level >= 40 && reqId && /library/.test(msg)),
      []
    )
  })
})
