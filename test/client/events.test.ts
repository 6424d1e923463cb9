import t from 'tap'
import { SslClient } from '../../clients/typescript/src/index.js'
import { testApp } from '../fixtures/app.js'
import { nurseToken } from '../fixtures/events/listening.js'
import { readOn } from '../fixtures/events/reading.js'
import { freePort } from '../fixtures/free-port.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import { problem, scriptedClient } from '../fixtures/scripted-client.js'
import { world } from '../fixtures/world.js'

const token = nurseToken()
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const server = await testApp(t, { EVENTS_KEPT: '30', PUBLIC_URL: origin })
await server.app.listen({ host: '127.0.0.1', port })
const { app } = server
const w = await world(server)
const { order: api } = new SslClient({ origin, token })

/** A page of the feed without events, whose cursor is c1. */
const emptyPage = () =>
  new Response('[]', {
    headers: {
      'content-type': 'application/cloudevents-batch+json',
      link: '<https://ssl.example/ssl-order/v1/events?after=c1>; rel="next"'
    }
  })

t.test('continues at a stored cursor', async (t) => {
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
  const after = app.cursors.seal({ feed: 'ssl-order', position: 1, at: Date.now() - 70 * 86_400_000 })
  await t.rejects(api.events({ after }).next(), { code: 'cursor-too-old' })
  let expired = 0
  const onExpired = () => {
    expired++
  }
  const { value } = await api.events({ after, onExpired }).next()
  t.equal(expired, 1)
  t.same(
    idsOf(value.events),
    (await readOn(w.nurse)).events.map(({ id }) => id)
  )
})

t.test('retries after failures, and ends at error responses of clients', async (t) => {
  const lost = new Error('lost')
  const proxy = () => new Response('<h1>Bad gateway</h1>', { status: 502 })
  const limited = () => problem(429, 'too-many-requests', { 'retry-after': '0' })
  // Each request is sent four times, except after a status that is not known to be temporary.
  const responses = [lost, lost, lost, lost, problem(500, 'internal-error')]
  for (const make of [proxy, limited]) responses.push(make(), make(), make(), make())
  const { client, sent } = scriptedClient(...responses, emptyPage(), emptyPage())
  const failures: Error[] = []
  const events = client.order.events({ after: 'c0', onFailure: (error) => failures.push(error) })
  t.same((await events.next()).value, { events: [], cursor: 'c1' })
  t.equal(sent.length, responses.length + 1)
  t.match(failures, [
    { name: 'NoResponseError' },
    { code: 'internal-error' },
    { status: 502 },
    { code: 'too-many-requests', retryAfterMs: 0 }
  ])
  t.same(
    new Set(sent.map(({ url }) => url)),
    new Set(['https://ssl.example/ssl-order/v1/events?after=c0&wait=20'])
  )
  await events.next()
  t.match(sent.at(-1)?.url, 'after=c1', 'it goes on after what it got')

  const refused = [problem(401, 'unauthorized'), new Response('<h1>Not here</h1>', { status: 404 })]
  for (const response of refused) {
    const error = await scriptedClient(response)
      .client.order.events()
      .next()
      .catch((cause: unknown) => cause)
    t.match(error, { status: response.status })
  }
})

t.test('retries when the server says', async (t) => {
  const tooManyWait = problem(429, 'too-many-requests', { 'retry-after': '1' })
  const { client, sent } = scriptedClient(tooManyWait, emptyPage())
  const start = performance.now()
  const { value } = await client.order.events({ after: 'c0' }).next()
  t.ok(performance.now() - start >= 990, 'not before')
  t.same([value.cursor, sent.length], ['c1', 2])
})

t.test('stops waiting when it is aborted', async (t) => {
  const stop = new AbortController()
  const { client } = scriptedClient(problem(500, 'internal-error', { 'retry-after': '3600' }))
  const next = client.order.events({ signal: stop.signal, onFailure: () => stop.abort() }).next()
  await t.rejects(next, { name: 'AbortError' })
})
