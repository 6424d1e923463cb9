import t from 'tap'
import type { Behaviour } from '../fixtures/fhir/server.js'
import { circuitOpenMs, retryAfter, timeoutMs, upstream } from '../fixtures/upstream.js'

const { server, url, clock, count, clientOf, timingOut } = await upstream(t)

const aborted = { code: 'ABORTED', retryAfter: 5 }

t.test('an aborted signal sends no request', async (t) => {
  const { request } = await clientOf(t)
  await t.rejects(request({ url }, AbortSignal.abort()), aborted)
  t.equal(await count(), 0)
})

t.test('an aborted request leaves the queue', async (t) => {
  const { request } = await clientOf(t, { maxConnections: 1, maxQueue: 1 })
  const [first, second] = [new AbortController(), new AbortController()]
  await server.behave('hanging')
  const asking = request({ url }, first.signal)
  await server.reached(1)
  const waiting = request({ url: `${url}?second` }, second.signal)
  second.abort()
  await t.rejects(waiting, aborted)
  const next = request({ url: `${url}?third` })
  await server.behave('well')
  first.abort()
  await t.rejects(asking, aborted)
  t.match(await next, { status: 200 }, 'its place in the queue was free')
  t.same(
    (await server.received()).map((each) => each.url),
    ['/fhir/Patient/p1', '/fhir/Patient/p1?third']
  )
})

t.test('an aborted request in flight is ended and frees its connection', async (t) => {
  const { request } = await clientOf(t, { maxConnections: 1 })
  for (const behaviour of ['hanging', 'dripping'] as const) {
    await server.behave(behaviour)
    await server.forget()
    const caller = new AbortController()
    const asking = request({ url }, caller.signal)
    await server.reached(1)
    caller.abort()
    await t.rejects(asking, aborted, behaviour)
    await server.settled()
    await server.behave('well')
    t.match(await request(), { status: 200 })
    t.same(
      (await server.received()).map((each) => each.underWay),
      [1, 1],
      'the first request is aborted and not repeated'
    )
  }
})

t.test('a request aborted in its retry counts the first attempt as failed', async (t) => {
  const { request, changes } = await clientOf(t, { failureThreshold: 3 })
  await server.behave('hanging')
  for (let at = 0; at < 3; at++) {
    const caller = new AbortController()
    const asking = request({ url }, caller.signal)
    await server.reached(2 * at + 1)
    clock.pass(timeoutMs)
    await server.reached(2 * at + 2)
    caller.abort()
    await t.rejects(asking, { code: 'ABORTED' })
  }
  await server.settled()
  await t.rejects(request(), { code: 'CIRCUIT_OPEN' })
  t.same(changes, [true])
})

t.test('an aborted request neither opens nor closes the circuit', async (t) => {
  const { request, changes } = await clientOf(t, { failureThreshold: 2 })
  const abort = async () => {
    await server.behave('hanging')
    await server.forget()
    const caller = new AbortController()
    const asking = request({ url }, caller.signal)
    await server.reached(1)
    caller.abort()
    await t.rejects(asking, aborted)
  }
  const fail = async () => {
    await server.behave('cut')
    await t.rejects(request(), { name: 'UpstreamUnavailable', retryAfter })
  }
  for (let at = 0; at < 4; at++) await abort()
  t.same(changes, [], 'the circuit is closed')
  await fail()
  await abort()
  t.same(changes, [], 'with one failure')
  await fail()
  t.same(changes, [true], 'the circuit opens with the second')
})

t.test('an aborted probe of a half-open circuit continues for other callers', async (t) => {
  const { request, changes } = await clientOf(t, { failureThreshold: 1 })
  const probeAndAbort = async (behaviour: Behaviour) => {
    clock.pass(circuitOpenMs)
    await server.behave(behaviour)
    await server.forget()
    const caller = new AbortController()
    const trying = request({ url }, caller.signal)
    await server.reached(1)
    const other = request()
    caller.abort()
    await t.rejects(trying, aborted)
    t.equal(await count(), 1)
    return { other }
  }
  await server.behave('cut')
  await t.rejects(request())
  const failing = await probeAndAbort('hanging')
  await t.rejects(timingOut(failing.other), { code: 'CIRCUIT_OPEN' })
  t.equal(await count(), 2, 'in two attempts, as always')
  t.same(changes, [true])
  const succeeding = await probeAndAbort('held')
  await server.behave('well')
  t.match(await succeeding.other, { status: 200 })
  t.same(changes, [true, false])
})
