import t from 'tap'
import { UpstreamUnavailable } from '../../src/platform/http-client/errors.js'
import type { Behaviour } from '../fixtures/fhir/server.js'
import { circuitOpenMs, retryAfter, timeoutMs, upstream } from '../fixtures/upstream.js'

const { server, url, clock, count, clientOf, timingOut } = await upstream(t)

t.test('sends a request and returns its response', async (t) => {
  const { request } = await clientOf(t)
  t.match(await request(), { status: 200, body: { resourceType: 'Patient', id: 'p1' } })
  const body = JSON.stringify({ resourceType: 'Parameters', parameter: [{ name: 'code', valueCode: 'ø' }] })
  const headers = { 'content-type': 'application/fhir+json', authorization: 'Bearer t' }
  await request({ url: `${server.base}/ValueSet/$validate-code?a=%2F`, method: 'POST', headers, body })
  const [asked, posted] = await server.received()
  t.match(asked, { method: 'GET', url: '/fhir/Patient/p1', headers: { accept: /^application\/fhir\+json/ } })
  t.equal(asked?.headers.authorization, undefined)
  t.match(posted, { method: 'POST', url: '/fhir/ValueSet/$validate-code?a=%2F', headers, body })
})

t.test('returns responses with a status up to 499, which are not failures', async (t) => {
  const { request } = await clientOf(t, { failureThreshold: 2 })
  t.match(await request({ url: `${server.base}/Patient/p2` }), {
    status: 404,
    body: { resourceType: 'OperationOutcome' }
  })
  const cases = [
    { sent: { status: 403 }, body: undefined },
    { sent: { status: 401, body: '<p>Forbidden by the proxy' }, body: undefined },
    { sent: { status: 410, body: { issue: [] } }, body: { issue: [] } },
    { sent: { status: 204 }, body: undefined }
  ]
  for (const { sent, body } of cases) {
    await server.behave(sent)
    t.same(await request(), { status: sent.status, body })
  }
  t.equal(await count(), 5, 'none is retried')
})

/** No response, an incomplete one, or a gateway error. */
const noAnswers: Behaviour[] = [
  ...(['refusing', 'hanging', 'cut', 'dripping', 'truncated'] as const),
  ...[502, 503, 504].map((status) => ({ status })),
  { delay: 3_600_000 }
]
const silent: Behaviour[] = noAnswers.filter(
  (behaviour) =>
    ['hanging', 'dripping'].includes(String(behaviour)) || Object.hasOwn(Object(behaviour), 'delay')
)
/** Unusable responses that are retried. */
const passing: Behaviour[] = [500, 501].map((status) => ({ status }))
/** Unusable responses that are not retried. */
const lasting: Behaviour[] = [
  ...(['html', 'redirect', 'huge'] as const),
  ...[300, 307, 408, 429].map((status) => ({ status }))
]

t.test('reports an unusable response, in some cases after a retry', async (t) => {
  const { request } = await clientOf(t, { failureThreshold: 100 })
  const cases = [
    ...[...noAnswers, ...passing].map((behaviour) => ({ behaviour, asked: 2 })),
    ...lasting.map((behaviour) => ({ behaviour, asked: 1 }))
  ]
  for (const { behaviour, asked } of cases) {
    const name = JSON.stringify(behaviour)
    await server.behave(behaviour)
    await server.forget()
    const isSilent = silent.includes(behaviour)
    const error = await (isSilent ? timingOut(request()) : request()).then(
      () => undefined,
      (cause: unknown) => cause
    )
    t.type(error, UpstreamUnavailable, name)
    t.notMatch(
      JSON.stringify([String(error), String((error as Error)?.cause)]),
      /Patient|Parameters|html/,
      name
    )
    if (behaviour !== 'refusing') t.equal(await count(), asked, name)
    t.ok(
      (await server.received()).every((each) => !each.url.includes('redirected')),
      'follows no redirect'
    )
  }
})

t.test('returns the response to a retry', async (t) => {
  const { request } = await clientOf(t)
  for (const behaviour of ['cut', 'hanging', 'truncated', { status: 500 }, { status: 503 }] as const) {
    await server.forget()
    await server.behave(behaviour, { times: 1 })
    const asking = request()
    if (behaviour === 'hanging') {
      await server.reached(1)
      clock.pass(timeoutMs)
    }
    t.match(await asking, { status: 200 }, `${JSON.stringify(behaviour)}, then well`)
  }
})

t.test('opens the circuit after failures and closes it after a success', async (t) => {
  const { request, changes } = await clientOf(t, { failureThreshold: 3 })
  const fails = () => t.rejects(request(), { name: 'UpstreamUnavailable', retryAfter })
  await server.behave({ status: 503 })
  for (let at = 0; at < 3; at++) await fails()
  t.equal(await count(), 6)
  await fails()
  t.equal(await count(), 6, 'no request is sent while the circuit is open')
  clock.pass(circuitOpenMs)
  await Promise.all([fails(), fails(), fails()])
  t.equal(await count(), 8, 'one request probes the upstream')
  clock.pass(circuitOpenMs)
  await server.behave('well')
  const responses = await Promise.all([1, 2, 3].map(() => request()))
  t.same(
    responses.map(({ status }) => status),
    [200, 200, 200]
  )
  t.same(changes, [true, false], 'reported once each')
})

t.test('each kind of missing response opens the circuit', async (t) => {
  for (const behaviour of noAnswers) {
    const { request, changes } = await clientOf(t, { failureThreshold: 2 })
    await server.behave(behaviour)
    for (let at = 0; at < 2; at++) {
      const asking = request()
      await t.rejects(silent.includes(behaviour) ? timingOut(asking) : asking, {
        name: 'UpstreamUnavailable'
      })
    }
    t.same(changes, [true], JSON.stringify(behaviour))
    await server.behave('well')
    await t.rejects(request(), { code: 'CIRCUIT_OPEN' }, JSON.stringify(behaviour))
  }
})

t.test('a response that one caller cannot use closes the circuit, and does not open it', async (t) => {
  for (const behaviour of [...passing, ...lasting]) {
    const { request, changes } = await clientOf(t, { failureThreshold: 1 })
    await server.behave(behaviour)
    for (let at = 0; at < 2; at++) await t.rejects(request(), { name: 'UpstreamUnavailable' })
    t.same(changes, [], JSON.stringify(behaviour))
    await server.behave('cut')
    await t.rejects(request())
    await server.behave(behaviour)
    clock.pass(circuitOpenMs)
    await t.rejects(request(), { name: 'UpstreamUnavailable' })
    t.same(changes, [true, false], JSON.stringify(behaviour))
  }
})

t.test('passes on a valid Retry-After and replaces an invalid one', async (t) => {
  const { request } = await clientOf(t)
  const invalid = ['0', '3601', '-7', '1.5', '1e3', 'soon', '', 'Wed, 21 Oct 2015 07:28:00 GMT']
  const cases = [
    { sent: '7', expected: 7 },
    { sent: '3600', expected: 3600 },
    ...invalid.map((sent) => ({ sent, expected: retryAfter }))
  ]
  for (const { sent, expected } of cases) {
    await server.behave({ status: 429, headers: { 'retry-after': sent } })
    await t.rejects(request(), { name: 'UpstreamUnavailable', retryAfter: expected }, sent)
  }
  t.equal(await count(), cases.length, 'no retry')
})

t.test('an invalid request is not a failure of the upstream', async (t) => {
  const { request } = await clientOf(t, { failureThreshold: 1 })
  for (const invalid of [{ url: 'nowhere' }, { url, headers: { a: 'b\r\nc: d' } }])
    t.notOk((await request(invalid).catch((cause) => cause)) instanceof UpstreamUnavailable)
  t.match(await request(), { status: 200 }, 'the circuit stays closed')
})

t.test('limits concurrent requests, and the time in the queue does not use up their timeout', async (t) => {
  const { request } = await clientOf(t)
  await server.behave('held')
  const asking = Array.from({ length: 20 }, () => request())
  await server.reached(4)
  // Each attempt has its own timeout. Half of the timeout of the first four attempts has passed.
  clock.pass(timeoutMs / 2)
  await server.behave('held', { after: 16 })
  await server.reached(20)
  clock.pass(timeoutMs / 2)
  await server.behave('well')
  const responses = await Promise.all(asking)
  t.ok(responses.every(({ status }) => status === 200))
  const received = await server.received()
  t.equal(received.length, 20)
  t.equal(Math.max(...received.map((each) => each.underWay)), 4)
})

t.test('queued requests fail fast when the circuit opens', async (t) => {
  const { request } = await clientOf(t)
  await server.behave('hanging')
  const asked = await timingOut(Promise.allSettled(Array.from({ length: 200 }, () => request())))
  t.ok(asked.every(({ status }) => status === 'rejected'))
  t.ok((await count()) <= 16)
})

t.test('sends half of the requests for one caller, and three quarters for one organization', async (t) => {
  const { requestAs } = await clientOf(t, { total: 4, queue: 4 })
  await server.behave('held')
  const asking = [1, 2, 3, 4].map(() => requestAs('a1', 'a'))
  await server.reached(2)
  await t.rejects(requestAs('a1', 'a'), { code: 'QUEUE_FULL' }, 'a caller has half of the queue')
  asking.push(requestAs('a2', 'a'), requestAs('a2', 'a'))
  await server.reached(3)
  asking.push(requestAs('b1', 'b'))
  await server.reached(4)
  t.equal(Math.max(...(await server.received()).map(({ underWay }) => underWay)), 4)
  await server.behave('well')
  for (const response of await Promise.all(asking)) t.match(response, { status: 200 })
})
