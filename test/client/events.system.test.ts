import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type CloudEvent, SslClient } from '../../clients/typescript/src/index.js'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { readOn } from '../fixtures/events/reading.js'
import { freePort, startServer } from '../fixtures/server.js'
import { organization, pathOf, world } from '../fixtures/world.js'

const token = unsignedToken({ userType: 'MonitoringResponsible', organization: organization('region') })

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(10)
}

t.test('follows the feed through a restart of the server', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const env = { DATABASE_URL: app.databaseUrl, PORT: String(await freePort()) }
  const server = await startServer(t, env)
  await server.ready()
  const { order: api } = new SslClient({ origin: server.url, token, retryDelayMs: 10 })
  const seen: CloudEvent[] = []
  const failures: Error[] = []
  const stop = new AbortController()
  const options = { wait: 1, signal: stop.signal, onFailure: (error: Error) => failures.push(error) }
  const reading = (async () => {
    for await (const { events } of api.events(options)) seen.push(...events)
  })()
  let end: unknown
  reading.catch((error: unknown) => {
    end = error
  })
  const isSeen = (order: string) => {
    if (end !== undefined) throw end
    return seen.some(({ subject }) => subject.endsWith(pathOf(order)))
  }

  const before = await w.createDraft()
  await until(() => isSeen(before))
  await server.stop()
  const during = await w.createDraft()
  await until(() => isSeen(before) && failures.length > 0)
  await (await startServer(t, env)).ready()
  const after = await w.createDraft()
  await until(() => isSeen(after))
  t.ok(isSeen(during))
  stop.abort()
  await t.rejects(reading, { name: 'AbortError' })
  t.same(idsOf(seen), idsOf((await readOn(w.nurse)).events), 'each event once, in order')
})

t.test('goes on at a stored cursor', async (t) => {
  const { w, api } = await start(t)
  const place = async () => {
    for await (const { cursor, events } of api.events({ wait: 0 })) if (events.length === 0) return cursor
    return undefined
  }
  const after = await place()
  const { order } = await w.submitted()
  const subjects = async (types: readonly string[]) => {
    for await (const { events } of api.events({ after, types, wait: 0 }))
      return events.map(({ type, subject }) => `${type} ${subject}`)
    return undefined
  }
  t.same(await subjects(['order.submitted', 'order.created']), [
    `order.created ${order}`,
    `order.submitted ${order}`
  ])
  t.same(await subjects(['party.changed']), [], 'a batch without events comes too')
})

t.test('an expired cursor ends the iteration, or begins again', async (t) => {
  const { app, w, api } = await start(t, { EVENTS_KEPT: '30' })
  const after = app.cursors.seal({ feed: 'ssl-order', position: 1, at: Date.now() - 70 * 86_400_000 })
  await t.rejects(api.events({ after }).next(), { code: 'cursor-too-old' })
  let expired = 0
  const onExpired = () => {
    expired++
  }
  const { value } = await api.events({ after, onExpired }).next()
  t.equal(expired, 1)
  t.same(idsOf(value.events), idsOf((await readOn(w.nurse)).events))
})

t.test('repeats after failures, and ends at refusals', async (t) => {
  const lost = new Error('lost')
  const proxy = () => new Response('<h1>Bad gateway</h1>', { status: 502 })
  const limited = () => problem(429, 'too-many-requests', { 'retry-after': '0' })
  const link = '<https://ssl.example/ssl-order/v1/events?after=c1>; rel="next"'
  const page = new Response('[]', { headers: { 'content-type': 'application/cloudevents-batch+json', link } })
  // Each request is sent four times, except after a status that is not known to be passing.
  const responses = [lost, lost, lost, lost, problem(500, 'internal-error')]
  for (const make of [proxy, limited]) responses.push(make(), make(), make(), make())
  const { api, sent } = scripted(...responses, page)
  const failures: Error[] = []
  const { value } = await api.events({ after: 'c0', onFailure: (error) => failures.push(error) }).next()
  t.same(value, { events: [], cursor: 'c1' })
  t.equal(sent.length, responses.length + 1)
  t.match(failures, [
    { name: 'NoResponseError' },
    { code: 'internal-error' },
    { status: 502 },
    { code: 'too-many-requests', retryAfterMs: 0 }
  ])
  t.same(new Set(sent), new Set(['https://ssl.example/ssl-order/v1/events?after=c0&wait=20']))

  const refused = [problem(401, 'unauthorized'), new Response('<h1>Not here</h1>', { status: 404 })]
  for (const response of refused) {
    const error = await scripted(response)
      .api.events()
      .next()
      .catch((cause: unknown) => cause)
    t.match(error, { status: response.status })
  }
})

t.test('asks again when the server says', async (t) => {
  const link = '<https://ssl.example/ssl-order/v1/events?after=c1>; rel="next"'
  const page = new Response('[]', { headers: { 'content-type': 'application/cloudevents-batch+json', link } })
  const tooManyWait = problem(429, 'too-many-requests', { 'retry-after': '1' })
  const { api, sent } = scripted(tooManyWait, page)
  const start = performance.now()
  const { value } = await api.events({ after: 'c0' }).next()
  t.ok(performance.now() - start >= 990, 'not before')
  t.same([value.cursor, sent.length], ['c1', 2])
})

t.test('waits no longer when it is aborted', async (t) => {
  const stop = new AbortController()
  const { api } = scripted(problem(500, 'internal-error', { 'retry-after': '3600' }))
  const next = api.events({ signal: stop.signal, onFailure: () => stop.abort() }).next()
  await t.rejects(next, { name: 'AbortError' })
})

/** A server at its public URL, with a client of a nurse. */
async function start(t: Test, env: Record<string, string> = {}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await testApp(t, { ...env, PUBLIC_URL: url })
  await server.app.listen({ host: '127.0.0.1', port })
  const { order: api } = new SslClient({ origin: url, token })
  return { ...server, w: await world(server), api, url }
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ type: `urn:problem:${code}`, status, code, detail: 'Detail.' }), {
    status,
    headers: { 'content-type': 'application/json', ...headers }
  })

/** A client whose requests get these responses, one after the other, and the URLs. */
function scripted(...responses: (Response | Error)[]) {
  const sent: string[] = []
  const { order: api } = new SslClient({
    origin: 'https://ssl.example',
    token,
    retryDelayMs: 1,
    fetch: async (url) => {
      sent.push(url)
      const response = responses.shift() ?? new Error('There is no further response.')
      if (response instanceof Error) throw response
      return response
    }
  })
  return { api, sent }
}
