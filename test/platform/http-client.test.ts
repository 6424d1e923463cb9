import t, { type Test } from 'tap'
import { createHttpClient, type HttpClientOptions } from '../../src/platform/http-client/client.js'
import { UpstreamUnavailable } from '../../src/platform/http-client/errors.js'
import type { UpstreamRequest } from '../../src/platform/http-client/single-attempt.js'
import { clockOf } from '../fixtures/clock.js'
import { type Behaviour, fhirServer } from '../fixtures/fhir/server.js'
import '../fixtures/loopback-only.js'

const server = await fhirServer(t)
await server.keep({ resourceType: 'Patient', id: 'p1' })
const url = `${server.base}/Patient/p1`
const ever = new AbortController().signal
const clock = clockOf(t)
const timeoutMs = 600_000
const circuitOpenMs = 900_000
const retryAfter = 900

async function remoteOf(t: Test, options: Partial<HttpClientOptions> = {}) {
  const remote = createHttpClient({ name: 'test', timeoutMs, maxConnections: 4, circuitOpenMs, ...options })
  t.teardown(() => remote.close())
  await server.behave('well')
  await server.forget()
  return { ask: (request: UpstreamRequest = { url }, patience = ever) => remote.request(request, patience) }
}

const count = async () => (await server.received()).length
/** Lets the time-out of each attempt pass that has reached the server, until there is an answer. */
const timingOut = <T>(work: Promise<T>) => clock.passUntil(work, timeoutMs, count)

t.test('sends a request and returns its response', async (t) => {
  const remote = await remoteOf(t)
  t.match(await remote.ask(), { status: 200, body: { resourceType: 'Patient', id: 'p1' } })
  const body = JSON.stringify({ resourceType: 'Parameters', parameter: [{ name: 'code', valueCode: 'ø' }] })
  const headers = { 'content-type': 'application/fhir+json', authorization: 'Bearer t' }
  await remote.ask({ url: `${server.base}/ValueSet/$validate-code?a=%2F`, method: 'POST', headers, body })
  const [asked, posted] = await server.received()
  t.match(asked, { method: 'GET', url: '/fhir/Patient/p1', headers: { accept: /^application\/fhir\+json/ } })
  t.equal(asked?.headers.authorization, undefined)
  t.match(posted, { method: 'POST', url: '/fhir/ValueSet/$validate-code?a=%2F', headers, body })
})

t.test('returns responses with a status up to 499', async (t) => {
  const remote = await remoteOf(t)
  t.match(await remote.ask({ url: `${server.base}/Patient/p2` }), {
    status: 404,
    body: { resourceType: 'OperationOutcome' }
  })
  const cases: [behaviour: Behaviour, status: number, body: unknown][] = [
    [{ status: 403 }, 403, undefined],
    [{ status: 401, body: '<p>Forbidden by the proxy' }, 401, undefined],
    [{ status: 410, body: { issue: [] } }, 410, { issue: [] }],
    [{ status: 204 }, 204, undefined]
  ]
  for (const [behaviour, status, body] of cases) {
    await server.behave(behaviour)
    t.same(await remote.ask(), { status, body })
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

t.test('what is no usable answer is told, in some cases after another attempt', async (t) => {
  const remote = await remoteOf(t, { failureThreshold: 100 })
  const cases = [
    ...[...noAnswers, ...passing].map((behaviour) => ({ behaviour, asked: 2 })),
    ...lasting.map((behaviour) => ({ behaviour, asked: 1 }))
  ]
  for (const { behaviour, asked } of cases) {
    const name = JSON.stringify(behaviour)
    await server.behave(behaviour)
    await server.forget()
    const isSilent = silent.includes(behaviour)
    const error = await (isSilent ? timingOut(remote.ask()) : remote.ask()).then(
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
  for (const behaviour of ['cut', 'hanging', 'truncated', { status: 500 }, { status: 503 }] as const) {
    await server.forget()
    await server.behave(behaviour, { times: 1 })
    const asking = remote.ask()
    if (behaviour === 'hanging') {
      await server.reached(1)
      clock.pass(timeoutMs)
    }
    t.match(await asking, { status: 200 }, `${JSON.stringify(behaviour)}, then well`)
  }
})

t.test('opens the circuit after failures and closes it after a success', async (t) => {
  const changes: boolean[] = []
  const remote = await remoteOf(t, { failureThreshold: 3, onCircuitChange: (isAway) => changes.push(isAway) })
  const fails = () => t.rejects(remote.ask(), { name: 'UpstreamUnavailable', retryAfter })
  await server.behave({ status: 503 })
  for (let at = 0; at < 3; at++) await fails()
  t.equal(await count(), 6)
  await fails()
  t.equal(await count(), 6, 'it is not asked while it is away')
  clock.pass(circuitOpenMs)
  await Promise.all([fails(), fails(), fails()])
  t.equal(await count(), 8, 'one question tries whether it is back')
  clock.pass(circuitOpenMs)
  await server.behave('well')
  const responses = await Promise.all([1, 2, 3].map(() => remote.ask()))
  t.same(
    responses.map(({ status }) => status),
    [200, 200, 200]
  )
  t.same(changes, [true, false], 'reported once each')
})

t.test('a refusal is no failure', async (t) => {
  const remote = await remoteOf(t, { failureThreshold: 2 })
  await server.behave({ status: 403 })
  for (let at = 0; at < 4; at++) t.match(await remote.ask(), { status: 403 })
})

t.test('each kind of missing response opens the circuit', async (t) => {
  for (const behaviour of noAnswers) {
    const changes: boolean[] = []
    const remote = await remoteOf(t, {
      failureThreshold: 2,
      onCircuitChange: (isAway) => changes.push(isAway)
    })
    await server.behave(behaviour)
    for (let at = 0; at < 2; at++) {
      const asking = remote.ask()
      await t.rejects(silent.includes(behaviour) ? timingOut(asking) : asking, {
        name: 'UpstreamUnavailable'
      })
    }
    t.same(changes, [true], JSON.stringify(behaviour))
    await server.behave('well')
    await t.rejects(remote.ask(), { code: 'CIRCUIT_OPEN' }, JSON.stringify(behaviour))
  }
})

t.test('a response that one caller cannot use does not open the circuit', async (t) => {
  const changes: boolean[] = []
  const remote = await remoteOf(t, { failureThreshold: 2, onCircuitChange: (isAway) => changes.push(isAway) })
  for (const behaviour of [...passing, ...lasting]) {
    await server.behave(behaviour)
    for (let at = 0; at < 3; at++) await t.rejects(remote.ask(), { name: 'UpstreamUnavailable' })
    await server.behave('well')
    t.match(await remote.ask(), { status: 200 }, JSON.stringify(behaviour))
  }
  t.same(changes, [])
})

t.test('any response closes the circuit', async (t) => {
  for (const behaviour of [...passing, ...lasting]) {
    const changes: boolean[] = []
    const remote = await remoteOf(t, {
      failureThreshold: 1,
      onCircuitChange: (isAway) => changes.push(isAway)
    })
    await server.behave('cut')
    await t.rejects(remote.ask())
    await server.behave(behaviour)
    clock.pass(circuitOpenMs)
    await t.rejects(remote.ask(), { name: 'UpstreamUnavailable' })
    t.same(changes, [true, false], JSON.stringify(behaviour))
  }
})

t.test('passes on a valid Retry-After and replaces others', async (t) => {
  const remote = await remoteOf(t)
  const cases: [wished: string, told: number][] = [
    ['7', 7],
    ['3600', 3600],
    ...['0', '3601', '-7', '1.5', '1e3', 'soon', '', 'Wed, 21 Oct 2026 07:28:00 GMT'].map(
      (text): [string, number] => [text, retryAfter]
    )
  ]
  for (const [wished, told] of cases) {
    await server.behave({ status: 429, headers: { 'retry-after': wished } })
    await t.rejects(remote.ask(), { name: 'UpstreamUnavailable', retryAfter: told }, wished)
  }
  t.equal(await count(), cases.length, 'no retry')
})

t.test('a question that cannot be asked is a bug', async (t) => {
  const remote = await remoteOf(t, { failureThreshold: 1 })
  for (const request of [{ url: 'nowhere' }, { url, headers: { a: 'b\r\nc: d' } }])
    t.notOk((await remote.ask(request).catch((cause) => cause)) instanceof UpstreamUnavailable)
  t.match(await remote.ask(), { status: 200 }, 'the circuit stays closed')
})

t.test(
  'so many questions at once, and the time that others wait is not held against the party',
  async (t) => {
    const remote = await remoteOf(t)
    await server.behave('held')
    const asking = Array.from({ length: 20 }, () => remote.ask())
    await server.reached(4)
    // Each attempt has its own time-out: the first four have used up a half of theirs, the others nothing.
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
  }
)

t.test('queued requests fail fast when the circuit opens', async (t) => {
  const remote = await remoteOf(t)
  await server.behave('hanging')
  const asked = await timingOut(Promise.allSettled(Array.from({ length: 200 }, () => remote.ask())))
  t.ok(asked.every(({ status }) => status === 'rejected'))
  t.ok((await count()) <= 16)
})

t.test('more than may wait are turned away', async (t) => {
  const remote = await remoteOf(t, { maxConnections: 1, maxQueue: 1 })
  await server.behave('held')
  const asking = Promise.allSettled([1, 2, 3].map(() => remote.ask()))
  await server.reached(1)
  await server.behave('well')
  const asked = await asking
  t.same(
    asked.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected']
  )
})

t.test('patience', async (t) => {
  const givenUp = { code: 'ABORTED', retryAfter: 5 }

  t.test('an aborted signal sends no request', async (t) => {
    const remote = await remoteOf(t)
    await t.rejects(remote.ask({ url }, AbortSignal.abort()), givenUp)
    t.equal(await count(), 0)
  })

  t.test('who gives up in the queue leaves it', async (t) => {
    const remote = await remoteOf(t, { maxConnections: 1, maxQueue: 1 })
    const [first, second] = [new AbortController(), new AbortController()]
    await server.behave('hanging')
    const asking = remote.ask({ url }, first.signal)
    await server.reached(1)
    const waiting = remote.ask({ url: `${url}?second` }, second.signal)
    second.abort()
    await t.rejects(waiting, givenUp)
    const next = remote.ask({ url: `${url}?third` })
    await server.behave('well')
    first.abort()
    await t.rejects(asking, givenUp)
    t.match(await next, { status: 200 }, 'its place in the queue was free')
    t.same(
      (await server.received()).map((each) => each.url),
      ['/fhir/Patient/p1', '/fhir/Patient/p1?third']
    )
  })

  t.test('a question under way is ended, and makes room', async (t) => {
    const remote = await remoteOf(t, { maxConnections: 1 })
    for (const behaviour of ['hanging', 'dripping'] as const) {
      await server.behave(behaviour)
      await server.forget()
      const caller = new AbortController()
      const asking = remote.ask({ url }, caller.signal)
      await server.reached(1)
      caller.abort()
      await t.rejects(asking, givenUp, behaviour)
      await server.settled()
      await server.behave('well')
      t.match(await remote.ask(), { status: 200 })
      t.same(
        (await server.received()).map((each) => each.underWay),
        [1, 1],
        'the first request is aborted and not repeated'
      )
    }
  })

  t.test('a request aborted in its retry counts the first attempt as failed', async (t) => {
    const changes: boolean[] = []
    const remote = await remoteOf(t, {
      failureThreshold: 3,
      onCircuitChange: (isAway) => changes.push(isAway)
    })
    await server.behave('hanging')
    for (let at = 0; at < 3; at++) {
      const caller = new AbortController()
      const asking = remote.ask({ url }, caller.signal)
      await server.reached(2 * at + 1)
      clock.pass(timeoutMs)
      await server.reached(2 * at + 2)
      caller.abort()
      await t.rejects(asking, { code: 'ABORTED' })
    }
    await server.settled()
    await t.rejects(remote.ask(), { code: 'CIRCUIT_OPEN' })
    t.same(changes, [true])
  })

  t.test('an aborted request neither opens nor closes the circuit', async (t) => {
    const changes: boolean[] = []
    const remote = await remoteOf(t, {
      failureThreshold: 2,
      onCircuitChange: (isAway) => changes.push(isAway)
    })
    const giveUp = async () => {
      await server.behave('hanging')
      await server.forget()
      const caller = new AbortController()
      const asking = remote.ask({ url }, caller.signal)
      await server.reached(1)
      caller.abort()
      await t.rejects(asking, givenUp)
    }
    const fail = async () => {
      await server.behave('cut')
      await t.rejects(remote.ask(), { name: 'UpstreamUnavailable', retryAfter })
    }
    for (let at = 0; at < 4; at++) await giveUp()
    t.same(changes, [], 'the circuit is closed')
    await fail()
    await giveUp()
    t.same(changes, [], 'with one failure')
    await fail()
    t.same(changes, [true], 'the circuit opens with the second')
  })

  t.test('an aborted probe of a half-open circuit continues for other callers', async (t) => {
    const changes: boolean[] = []
    const remote = await remoteOf(t, {
      failureThreshold: 1,
      onCircuitChange: (isAway) => changes.push(isAway)
    })
    const tryAndGiveUp = async (behaviour: Behaviour) => {
      clock.pass(circuitOpenMs)
      await server.behave(behaviour)
      await server.forget()
      const caller = new AbortController()
      const trying = remote.ask({ url }, caller.signal)
      await server.reached(1)
      const other = remote.ask()
      caller.abort()
      await t.rejects(trying, givenUp)
      t.equal(await count(), 1)
      return { other }
    }
    await server.behave('cut')
    await t.rejects(remote.ask())
    const failing = await tryAndGiveUp('hanging')
    await t.rejects(timingOut(failing.other), { code: 'CIRCUIT_OPEN' })
    t.equal(await count(), 2, 'in two attempts, as always')
    t.same(changes, [true])
    const succeeding = await tryAndGiveUp('held')
    await server.behave('well')
    t.match(await succeeding.other, { status: 200 })
    t.same(changes, [true, false])
  })
})
