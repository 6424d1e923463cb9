import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Pipeline, pipeline } from '../../src/pipeline.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { type Clock, clockOf } from '../fixtures/clock.js'
import { listenOnLoopback, wire } from '../fixtures/wire.js'
import { orders } from '../fixtures/world.js'

const origin = 'https://app.example'
const env = {
  CORS_ORIGINS: origin,
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  EVENT_LOOP_DELAY_LIMIT: '30000'
}
const limits = { responseTimeout: 1000 }
const token = tokenOf('AdministrativeClerk')
const parties = `${orders}/parties`
const tooLong = `${parties}?q=${'x'.repeat(9000)}`

/** Sends a request over HTTP. */
async function send(server: TestApp, method: string, url: string, options: RequestInit = {}) {
  const headers = { authorization: token, ...options.headers }
  const target = `http://127.0.0.1:${await listenOnLoopback(server.app)}${url}`
  const response = await fetch(target, { ...options, method, headers })
  await response.arrayBuffer()
  return response
}

/** Makes the event loop of a server appear to lag. */
function lag(t: Test, clock: Clock): void {
  const histogram = Object.getPrototypeOf(Object.getPrototypeOf(monitorEventLoopDelay()))
  t.intercept(histogram, 'mean', { get: () => 60e9 })
  clock.pass(10_000)
}

const completed = ({ lines }: TestApp) =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request completed')

interface Case {
  hook: keyof Pipeline
  /** Two neighbouring steps. */
  steps: [first: string, second: string]
  /** The behaviour of the server, which differs if the steps are swapped. */
  observe(server: TestApp, t: Test, clock: Clock): Promise<unknown>
  wanted: unknown
}

const cases: Case[] = [
  {
    hook: 'onRequest',
    steps: ['limitConnections', 'shedLoad'],
    async observe({ app }, t, clock) {
      const port = await listenOnLoopback(app)
      lag(t, clock)
      const { send, closed } = wire(t, port)
      const get = 'GET /version HTTP/1.1\r\nhost: localhost\r\n'
      send(`${`${get}\r\n`.repeat(149)}${get}connection: close\r\n\r\n`)
      return (await closed()).length === 150 ? 'each request has a response' : 'closed'
    },
    wanted: 'closed'
  },
  {
    hook: 'onRequest',
    steps: ['shedLoad', 'logRequest'],
    async observe(server, t, clock) {
      await listenOnLoopback(server.app)
      lag(t, clock)
      return [(await send(server, 'GET', '/version')).status, completed(server).length]
    },
    wanted: [503, 0]
  },
  {
    hook: 'onRequest',
    steps: ['startSpan', 'allowOrigins'],
    async observe(server) {
      const headers = { origin, 'access-control-request-method': 'GET' }
      await send(server, 'OPTIONS', parties, { headers })
      return completed(server).map(({ method, traceId }) => [method, typeof traceId])
    },
    wanted: [['OPTIONS', 'string']]
  },
  {
    hook: 'onRequest',
    steps: ['allowOrigins', 'checkHead'],
    async observe(server) {
      const { status, headers } = await send(server, 'PUT', parties, { headers: { origin } })
      return [status, headers.get('access-control-allow-origin')]
    },
    wanted: [405, origin]
  },
  {
    hook: 'onRequest',
    steps: ['checkHead', 'identifyCaller'],
    observe: async (server) =>
      (await send(server, 'GET', tooLong, { headers: { authorization: '' } })).status,
    wanted: 414
  },
  {
    hook: 'onRequest',
    steps: ['identifyCaller', 'authorize'],
    observe: async (server) => (await send(server, 'GET', parties)).status,
    wanted: 200
  },
  {
    hook: 'preParsing',
    steps: ['checkBodySlot', 'checkBody'],
    async observe(server) {
      const { largeWork } = server.app.slots
      const post = (coding: string) =>
        send(server, 'POST', `${orders}/party`, {
          headers: { 'content-type': 'application/json', 'content-encoding': coding },
          body: 'x'.repeat(40_000)
        })
      const releases = [await largeWork.acquire(), await largeWork.acquire()]
      const waiting = [1, 2, 3, 4].map(() => post('identity'))
      while (largeWork.waiting < waiting.length) await pause(5)
      const { status } = await post('gzip')
      for (const release of releases) release()
      await Promise.all(waiting)
      return status
    },
    wanted: 429
  },
  {
    hook: 'onSend',
    steps: ['limitUnread', 'recordRequest'],
    async observe(server, _t, clock) {
      const { sql } = server
      await send(server, 'GET', `${orders}/orders`)
      const waiting = () => sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      let reading: Promise<unknown> = Promise.resolve()
      await sql.begin(async (tx) => {
        await tx`lock table audit_events in exclusive mode`
        reading = send(server, 'GET', `${orders}/orders`).then(
          ({ status }) => status,
          () => 'closed'
        )
        while ((await waiting()).length === 0) await pause(5)
        clock.pass(limits.responseTimeout)
      })
      return reading
    },
    wanted: 'closed'
  }
]

/** Neighbours whose sequence does not matter, for the reason in the pipeline. */
const free = [
  'beginRequest addSecurityHeaders',
  'addSecurityHeaders limitConnections',
  'logRequest startSpan',
  'checkBody parseJson',
  'enterSpan enterTimings',
  'closeAtShutdown limitUnread'
]

const server = (t: Test) => testApp(t, env, undefined, { limits })

/** Swaps the steps while a server is built. */
async function swapped(t: Test, { hook, steps: [first] }: Case): Promise<TestApp> {
  const steps = pipeline[hook] as (() => unknown)[]
  const before = [...steps]
  const at = steps.findIndex(({ name }) => name === first)
  steps.splice(at, 2, ...steps.slice(at, at + 2).reverse())
  try {
    return await server(t)
  } finally {
    steps.splice(0, steps.length, ...before)
  }
}

t.test('each pair of neighbouring steps is in a case, or its sequence does not matter', async (t) => {
  const neighbours = Object.values({ ...pipeline } as Record<string, { name: string }[]>).flatMap((steps) =>
    steps.slice(1).map(({ name }, at) => `${steps[at]?.name} ${name}`)
  )
  const tested = cases.map(({ steps }) => steps.join(' '))
  t.same([...tested, ...free].sort(), neighbours.sort())
})

for (const each of cases) {
  const { steps, observe, wanted } = each
  t.test(`${steps.join(' comes before ')}`, async (t) => {
    const clock = clockOf(t)
    t.same(await observe(await server(t), t, clock), wanted)
  })
  t.test(`${steps.join(' must not come after ')}`, async (t) => {
    const clock = clockOf(t)
    t.notSame(await observe(await swapped(t, each), t, clock), wanted)
  })
}
