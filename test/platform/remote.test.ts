import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createRemote, type RemoteOptions, RemoteUnavailable } from '../../src/platform/remote.js'
import { type Behaviour, fhirServer } from '../fixtures/fhir/server.js'
import '../fixtures/loopback-only.js'

const server = await fhirServer(t)
await server.keep({ resourceType: 'Patient', id: 'p1' })
const url = `${server.base}/Patient/p1`

async function remoteOf(t: Test, options: Partial<RemoteOptions> = {}) {
  const remote = createRemote({ timeout: 300, connections: 4, away: 400, ...options })
  t.teardown(() => remote.close())
  await server.behave('well')
  await server.forget()
  return remote
}

const count = async () => (await server.received()).length

t.test('a question and its answer', async (t) => {
  const remote = await remoteOf(t)
  t.match(await remote.ask({ url }), { status: 200, body: { resourceType: 'Patient', id: 'p1' } })
  const body = JSON.stringify({ resourceType: 'Parameters', parameter: [{ name: 'code', valueCode: 'ø' }] })
  const headers = { 'content-type': 'application/fhir+json', authorization: 'Bearer t' }
  await remote.ask({ url: `${server.base}/ValueSet/$validate-code?a=%2F`, method: 'POST', headers, body })
  const [asked, posted] = await server.received()
  t.match(asked, { method: 'GET', url: '/fhir/Patient/p1', headers: { accept: /^application\/fhir\+json/ } })
  t.equal(asked?.headers.authorization, undefined)
  t.match(posted, { method: 'POST', url: '/fhir/ValueSet/$validate-code?a=%2F', headers, body })
})

t.test('answers up to 499 are answers', async (t) => {
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
    t.same(await remote.ask({ url }), { status, body })
  }
  t.equal(await count(), 5, 'none is asked again')
})

t.test('what is no answer is asked for once more, then told', async (t) => {
  const faulty: Behaviour[] = [
    ...(['refusing', 'hanging', 'cut', 'dripping', 'truncated', 'html', 'redirect', 'huge'] as const),
    ...[500, 502, 503, 408, 429].map((status) => ({ status })),
    { delay: 1000 }
  ]
  const remote = await remoteOf(t, { failures: 100 })
  for (const behaviour of faulty) {
    const name = JSON.stringify(behaviour)
    await server.behave(behaviour)
    await server.forget()
    const began = Date.now()
    const error = await remote.ask({ url }).then(
      () => undefined,
      (cause: unknown) => cause
    )
    t.type(error, RemoteUnavailable, name)
    t.notMatch(
      JSON.stringify([String(error), String((error as Error)?.cause)]),
      /Patient|Parameters|html/,
      name
    )
    t.ok(Date.now() - began < 900, `${name} took ${Date.now() - began} ms`)
    if (behaviour !== 'refusing') t.equal(await count(), 2, name)
    t.ok(
      (await server.received()).every((each) => !each.url.includes('redirected')),
      'follows no redirect'
    )
  }
  for (const behaviour of ['cut', 'hanging', 'truncated', { status: 503 }] as const) {
    await server.behave(behaviour, { times: 1 })
    t.match(await remote.ask({ url }), { status: 200 }, `${JSON.stringify(behaviour)}, then well`)
  }
})

t.test('a party that fails is left alone, until it answers again', async (t) => {
  const changes: boolean[] = []
  const remote = await remoteOf(t, { failures: 3, onChange: (isAway) => changes.push(isAway) })
  const fails = () => t.rejects(remote.ask({ url }), { name: 'RemoteUnavailable', retryAfter: 1 })
  await server.behave({ status: 500 })
  for (let at = 0; at < 3; at++) await fails()
  t.equal(await count(), 6)
  await fails()
  t.equal(await count(), 6, 'it is not asked while it is away')
  await pause(450)
  await Promise.all([fails(), fails(), fails()])
  t.equal(await count(), 8, 'one question tries whether it is back')
  await pause(450)
  await server.behave('well')
  const answers = await Promise.all([1, 2, 3].map(() => remote.ask({ url })))
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200]
  )
  t.same(changes, [true, false], 'told once, each')
})

t.test('a refusal is no failure', async (t) => {
  const remote = await remoteOf(t, { failures: 2 })
  await server.behave({ status: 403 })
  for (let at = 0; at < 4; at++) t.match(await remote.ask({ url }), { status: 403 })
})

t.test(
  'so many questions at once, and the time that others wait is not held against the party',
  async (t) => {
    const remote = await remoteOf(t)
    await server.behave({ delay: 150 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => remote.ask({ url })))
    t.ok(answers.every(({ status }) => status === 200))
    const received = await server.received()
    t.equal(received.length, 20)
    t.equal(Math.max(...received.map((each) => each.underWay)), 4)
  }
)

t.test('who waits while the party goes away learns of it at once', async (t) => {
  const remote = await remoteOf(t)
  await server.behave('hanging')
  const began = Date.now()
  const asked = await Promise.allSettled(Array.from({ length: 200 }, () => remote.ask({ url })))
  t.ok(asked.every(({ status }) => status === 'rejected'))
  t.ok(Date.now() - began < 2000, `took ${Date.now() - began} ms`)
  t.ok((await count()) <= 16)
})

t.test('more than may wait are turned away', async (t) => {
  const remote = await remoteOf(t, { connections: 1, waiting: 1 })
  await server.behave({ delay: 100 })
  const asked = await Promise.allSettled([1, 2, 3].map(() => remote.ask({ url })))
  t.same(
    asked.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected']
  )
})
