import t from 'tap'
import type { Behaviour } from '../fixtures/fhir/server.js'
import { circuitOpenMs, timeoutMs, upstream } from '../fixtures/upstream.js'

const { server, url, clock, count, clientOf, timingOut } = await upstream(t)

const aborted = { code: 'ABORTED', retryAfter: 5 }

t.test('an aborted signal sends no request', async (t) => {
  const { request } = await clientOf(t)
  await t.rejects(request({ url }, AbortSignal.abort()), aborted)
  t.equal(await count(), 0)
})

t.test('an aborted request leaves the queue', async (t) => {
  const { request } = await clientOf(t, { total: 1, queue: 1 })
  await server.behave('held')
  const asking = request()
  await server.reached(1)
  const caller = new AbortController()
  const waiting = request({ url: `${url}?second` }, caller.signal)
  caller.abort()
  await t.rejects(waiting, aborted)
  const next = request({ url: `${url}?third` })
  await server.behave('well')
  t.match(await asking, { status: 200 })
  t.match(await next, { status: 200 }, 'its place in the queue was free')
  t.same(
    (await server.received()).map((each) => each.url),
    ['/fhir/Patient/p1', '/fhir/Patient/p1?third']
  )
})

t.test('an aborted request that was sent continues, and keeps its slot', async (t) => {
  const { request } = await clientOf(t, { total: 1, queue: 0 })
  await server.behave('held')
  const caller = new AbortController()
  const asking = request({ url }, caller.signal)
  await server.reached(1)
  caller.abort()
  await t.rejects(asking, aborted)
  await t.rejects(request(), { code: 'QUEUE_FULL' })
  await server.behave('well')
})

t.test('the response to an aborted request counts for the circuit', async (t) => {
  const { request, changes } = await clientOf(t, { failureThreshold: 3, total: 1 })
  await server.behave('hanging')
  for (let at = 0; at < 3; at++) {
    const caller = new AbortController()
    const asking = request({ url }, caller.signal)
    await server.reached(2 * at + 1)
    caller.abort()
    await t.rejects(asking, aborted)
    clock.pass(timeoutMs)
    await server.reached(2 * at + 2)
    clock.pass(timeoutMs)
  }
  await t.rejects(request(), { code: 'CIRCUIT_OPEN' })
  t.same(changes, [true])
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
