import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { clockOf } from '../fixtures/clock.js'
import { nurseToken, openStream, startListeningServer } from '../fixtures/events/listening.js'
import { type Event, messagesOf, nextOf, readOn, textOf } from '../fixtures/events/reading.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { until } from '../fixtures/waiting.js'
import { headOf, wire } from '../fixtures/wire.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

const { app, sql, w, url } = await startListeningServer(t)
const headers = { authorization: nurseToken() }
const subjectsOf = (events: readonly Event[]) => events.map(({ subject }) => subject)
/** The address of the next events. */
const nextUrl = async () => url + (await readOn(w.nurse)).next

/** Reads a stream of events until `isEnough`, or to its end. */
async function readStream(
  url: string,
  headers: Record<string, string>,
  isEnough: (events: Event[]) => boolean = () => false
): Promise<{ events: Event[]; lastId: string; type: string | null }> {
  const controller = new AbortController()
  const accept = 'text/event-stream'
  const response = await fetch(url, { headers: { accept, ...headers }, signal: controller.signal })
  const events: Event[] = []
  let lastId = ''
  for await (const { id, data } of messagesOf(response)) {
    lastId = id
    if (data !== undefined) events.push(JSON.parse(data))
    if (isEnough(events)) break
  }
  controller.abort()
  return { events, lastId, type: response.headers.get('content-type') }
}

t.test('a request waits the whole time if there is no event', async (t) => {
  const { next } = await readOn(w.nurse)
  const start = performance.now()
  t.same((await w.nurse.get(`${next}&wait=1`, 200)).body, [])
  t.ok(performance.now() - start >= 990)
})

t.test('a request waits for an event', async (t) => {
  const { next } = await readOn(w.nurse)
  const waiting = w.nurse.get(`${next}&wait=30`, 200)
  await pause(300)
  const order = await w.createDraft()
  const response = await waiting
  t.same(subjectsOf(response.body), [order])
  t.match(nextOf(response), /wait=30/)
})

t.test('an event that the reader may not see does not end its wait', async (t) => {
  const { next } = await readOn(w.otherNurse)
  const waiting = w.otherNurse.get(`${next}&wait=30`, 200)
  await w.createDraft()
  const own = await w.otherNurse.create(`${orders}/order`, { ...w.draft(), buyer: w.otherBuyer })
  t.same(subjectsOf((await waiting).body), [own])
})

t.test('a stream sends events, and continues after the last event', async (t) => {
  const next = await nextUrl()
  const reading = readStream(next, headers, (events) => events.length === 3)
  const order = await w.createDraft()
  await w.addLine(order)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  const { events, lastId, type } = await reading
  t.match(type, /^text\/event-stream/)
  t.same(events.map(textOf), [
    'order.created DRAFT',
    'order-line.added UNFULFILLED',
    'order.submitted DRAFT SUBMITTED'
  ])
  const rest = await readStream(next, { ...headers, 'last-event-id': lastId }, (more) => more.length === 1)
  t.same(rest.events.map(textOf), ['order-line.status-changed UNFULFILLED SUBMITTED'])
  const recorded = await w.nurse.get(`${orders}/audit-events?order=${encodeURIComponent(order)}`, 200)
  t.ok(
    recorded.body.some(({ subtype }: { subtype: { code: string }[] }) =>
      subtype.some(({ code }) => code === 'listOrderEvents')
    ),
    'a part of a stream is recorded'
  )
  for (const [id, status] of [
    ['x', 400],
    ['', 200]
  ] as const) {
    const stream = { ...headers, accept: 'text/event-stream', 'last-event-id': id }
    const response = await fetch(`${url}${orders}/events`, { headers: stream })
    t.equal(response.status, status)
    await response.body?.cancel()
  }
})

t.test('a stream ends when its token expires', async (t) => {
  const next = await nextUrl()
  const expiry = (Math.floor(Date.now() / 1000) + 2) * 1000
  const authorization = nurseToken({ lifetime: 2 })
  await readStream(next, { authorization })
  t.ok(Date.now() >= expiry, 'not before')
  // Other requests are still accepted, because clocks may differ. A stream would end at once.
  const { response, status } = await openStream(next, authorization)
  t.match([status, await response.text()], [401, /Token expired/])
})

t.test('a stream ends when its organization is replaced', async (t) => {
  const [next, former] = [await nextUrl(), organization('former')]
  const authorization = nurseToken({ organization: former })
  const { response } = await openStream(next, authorization)
  await sql`insert into replaced_organizations values (${former}, ${organization('region')})`
  await app.replacedOrganizations.refresh()
  await response.text()
  t.equal((await openStream(next, authorization)).status, 403)
})

t.test('a stream ends when its client ends the connection', async (t) => {
  const { setInterval, clearInterval } = globalThis
  const timers = new Set<NodeJS.Timeout>()
  t.intercept(globalThis, 'setInterval', {
    value(run: () => void, intervalMs: number) {
      const timer = setInterval(run, intervalMs)
      timers.add(timer)
      return timer
    }
  })
  t.intercept(globalThis, 'clearInterval', {
    value(timer: NodeJS.Timeout) {
      timers.delete(timer)
      clearInterval(timer)
    }
  })
  const client = wire(t, Number(new URL(url).port))
  const token = `authorization: ${nurseToken()}`
  client.send(headOf('GET', `${orders}/events`, token, 'accept: text/event-stream'))
  await client.until('\nid: ')
  t.not(timers.size, 0)
  const closed = once(client.socket, 'close')
  client.socket.end()
  await closed
  t.pass('it does not wait for a write that fails')
  await until(() => timers.size === 0)
})

t.test('reads of events take slots, and an organization leaves some to other organizations', async (t) => {
  const { eventReads } = app.slots
  const [{ next }, { next: sellersNext }] = [await readOn(w.nurse), await readOn(w.provider)]
  const reader = { caller: 'a colleague', organization: organization('region') }
  const readers = Array.from({ length: 3 }, () => w.nurse.get(`${next}&wait=30`, 200))
  await until(() => app.slots.orderEventWaits.used === readers.length)
  const release = await eventReads.acquire(reader)
  const { order } = await w.submitted()
  await until(() => eventReads.waiting > 0)
  const reading = w.nurse.get(next, 200)
  t.same(new Set(subjectsOf((await w.provider.get(sellersNext, 200)).body)).has(order), true)
  await until(() => eventReads.waiting >= 2)
  release()
  for (const { body } of await Promise.all([...readers, reading])) t.ok(body.length > 0)
})

t.test('a request does not wait beyond the expiry of its token', async (t) => {
  const next = await nextUrl()
  const sent = recordStatements(app)
  const clock = clockOf(t)
  const authorization = nurseToken({ lifetime: 15 })
  const waiting = fetch(`${next}&wait=30`, { headers: { authorization } })
  const looks = () => sent.filter(({ text }) => text.includes('pg_locks')).length
  await until(() => looks() >= 2)
  clock.pass(16_000)
  await w.createDraft()
  t.same(await (await waiting).json(), [])
})

// Last: it shuts the server down.
t.test('streams and waiting requests end when the server shuts down', async (t) => {
  const next = await nextUrl()
  let requests = 0
  app.server.on('request', () => requests++)
  const stream = readStream(next, headers)
  const waiting = fetch(`${next}&wait=30`, { headers }).then((response) => response.json())
  await until(() => requests === 2)
  await app.shutDown({ delayMs: 0, timeoutMs: 20_000 })
  t.same((await stream).events, [], 'before it closes their connections')
  t.same(await waiting, [], 'with a response')
})
