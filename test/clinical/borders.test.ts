import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { BackendCall, ClinicalBackend } from '../../src/clinical/backend.js'
import { createConsentCheck } from '../../src/clinical/consent.js'
import { type CurrentTime, hasEnded, hasStarted } from '../../src/clinical/fhir-time.js'
import { createReferenceCheck } from '../../src/clinical/reference-exists.js'
import type { Problem } from '../../src/platform/errors/problem.js'

const asker = (token: string) => ({ caller: { token } }) as BackendCall
const now: CurrentTime = { instant: new Date('2026-06-15T12:00:00.000Z'), date: '2026-06-15' }

/** Accepts that the backend's response is rejected, and no other error. */
function refusedResponse(error: Problem) {
  if (error.code === 'clinical-backend-unavailable') return 'refused'
  throw error
}

/** A clinical backend that the test controls, and its requests. */
function backendByHand(response: () => { status: number; body: unknown }) {
  const asked: [path: string, init: unknown][] = []
  const backend = {
    base: 'https://fhir.example',
    async request(_call: BackendCall, path: string, init?: unknown) {
      asked.push([path, init])
      return response()
    }
  } as unknown as ClinicalBackend
  return { backend, asked }
}

t.test('a FHIR time starts and ends to the millisecond', async (t) => {
  const cases: [text: string, hasBegun: boolean, isOver: boolean][] = [
    ['2026-99-99T00:00:00Z', false, true],
    ['15-06-2026', false, true],
    ['2026-06-15T13:59:59+02:00', true, true],
    ['2026', true, false],
    ['2025', true, true],
    ['2027', false, false],
    ['2026-06', true, false],
    ['2026-05', true, true],
    ['2026-07', false, false],
    ['2026-06-15', true, false],
    ['2026-06-14', true, true],
    ['2026-06-16', false, false],
    ['2026-06-15T12:00:00.000Z', true, false],
    ['2026-06-15T11:59:59.999Z', true, true],
    // Clocks may differ by up to a minute.
    ['2026-06-15T12:01:00.000Z', true, false],
    ['2026-06-15T12:01:00.001Z', false, false],
    ['2026-06-15T14:01:00+02:00', true, false],
    ['2026-06-15T14:01:00.001+02:00', false, false],
    ['2026-06-15T12:00:00', false, true],
    ['soon', false, true],
    ['', false, true]
  ]
  for (const [text, begun, over] of cases)
    t.same([hasStarted(text, now), hasEnded(text, now)], [begun, over], text)
})

const given = {
  resourceType: 'Consent',
  status: 'active',
  category: [{ coding: [{ code: 'other' }] }, { coding: [{ code: 'x' }, { code: 'SSLPCI' }] }],
  patient: { reference: 'Patient/1' }
}

t.test('decides which consents count', async (t) => {
  const of = (...references: string[]) => references.map((reference) => ({ patient: { reference } }))
  const during = (...periods: object[]) => periods.map((period) => ({ provision: { period } }))
  const counting: object[] = [
    {},
    ...of('Patient/1', 'https://fhir.example/Patient/1'),
    { dateTime: '2026-06-15' },
    ...during({ start: '2026-06-15' }, { end: '2026-06-15' }, { start: '2026-06-14', end: '2026-06-16' }),
    { provision: { type: 'permit' } }
  ]
  const others: object[] = [
    ...of('Patient/2', 'Patient/11', 'Patient/1/_history/1', '1', '', 'Practitioner/1', '#1', 'urn:uuid:1'),
    ...of('https://other.example/Patient/1', 'https://fhir.example/Patient/2'),
    ...of('https://fhir.example/Patient/1?x'),
    ...[undefined, { display: 'Patient/1' }].map((patient) => ({ patient })),
    ...['draft', 'proposed', 'rejected', 'inactive', 'entered-in-error', 'ACTIVE', null].map((status) => ({
      status
    })),
    ...[undefined, [], [{}], [{ text: 'SSLPCI' }], [{ coding: [{ display: 'SSLPCI' }] }]].map((category) => ({
      category
    })),
    { category: [{ coding: [{ code: 'sslpci' }] }, {}] },
    { dateTime: '2026-06-16' },
    ...during({ start: '2026-06-16' }, { end: '2026-06-14' }, { end: 'never' }),
    { provision: { type: 'deny' } },
    { resourceType: 'Patient' }
  ]
  for (const more of [...counting, ...others]) {
    const body = {
      resourceType: 'Bundle',
      type: 'searchset',
      entry: [{ resource: null }, { resource: { ...given, ...more } }, {}]
    }
    const { backend } = backendByHand(() => ({ status: 200, body }))
    t.equal(
      await createConsentCheck(backend)(asker('t'), '1', undefined, now),
      counting.includes(more) ? 'given' : 'none',
      JSON.stringify(more)
    )
  }
})

t.test('interprets the response to a consent search', async (t) => {
  const bundle = { resourceType: 'Bundle', type: 'searchset' }
  const next = [{ relation: 'self' }, { relation: 'next' }]
  const cases: [status: number, body: unknown, outcome: unknown][] = [
    [200, bundle, 'none'],
    [200, { ...bundle, link: [{ relation: 'self' }] }, 'none'],
    [200, { ...bundle, link: next }, 'refused'],
    [200, { ...bundle, link: next, entry: [{ resource: { ...given, status: 'inactive' } }] }, 'refused'],
    [200, { ...bundle, link: next, entry: [{ resource: given }] }, 'given'],
    [200, { ...bundle, type: 'batch' }, 'refused'],
    [200, { ...bundle, entry: {} }, 'refused'],
    [200, given, 'refused'],
    [200, [], 'refused'],
    [200, null, 'refused'],
    [201, bundle, 'refused'],
    [401, bundle, 'none'],
    [403, undefined, 'none'],
    [404, undefined, 'refused'],
    [500, bundle, 'refused']
  ]
  for (const [status, body, outcome] of cases) {
    const { backend } = backendByHand(() => ({ status, body }))
    const told = await createConsentCheck(backend)(asker('t'), '1', undefined, now).catch(refusedResponse)
    t.equal(told, outcome, `${status} ${JSON.stringify(body)}`)
  }
})

t.test('caches a found resource for five minutes, a Patient per token', async (t) => {
  let later = 0
  const start = performance.now()
  t.intercept(performance, 'now', { value: () => start + later })
  let type = 'Patient'
  const { backend, asked } = backendByHand(() => ({ status: 200, body: { resourceType: type, id: '1' } }))
  const isThere = createReferenceCheck(backend)
  const asks = async (kind: 'Patient' | 'Organization', token: string, at: number) => {
    type = kind
    later = at
    // lru-cache reads the clock at most once a millisecond.
    await pause(3)
    const before = asked.length
    t.ok(await isThere(asker(token), kind, '1'))
    return asked.length > before
  }
  const minutes = 60_000
  t.equal(await asks('Patient', 'a', 0), true)
  t.equal(await asks('Patient', 'a', 1), false)
  t.equal(await asks('Patient', 'b', 1), true)
  t.equal(await asks('Organization', 'a', 1), true)
  t.equal(await asks('Organization', 'b', 1), false)
  t.equal(await asks('Patient', 'a', 5 * minutes), false)
  t.equal(await asks('Patient', 'a', 5 * minutes + 1), true)
  type = 'Person'
  for (const time of ['first', 'second'])
    t.notOk(await isThere(asker('c'), 'Patient', '1'), `what is missing is asked for each time: the ${time}`)
  t.equal(asked.length, 6)
})

t.test('interprets the response to a read', async (t) => {
  const cases: [status: number, body: unknown, outcome: unknown][] = [
    [200, { resourceType: 'Patient', id: '1' }, true],
    [200, { resourceType: 'Patient', id: '1', active: true }, true],
    [200, { resourceType: 'Patient', id: '1', active: false }, false],
    [200, { resourceType: 'Patient', id: '2' }, false],
    [200, { resourceType: 'Patient' }, false],
    [200, { resourceType: 'Person', id: '1' }, false],
    [200, {}, 'refused'],
    [200, null, 'refused'],
    [204, undefined, 'refused'],
    ...[401, 403, 404, 410].map((status): [number, unknown, boolean] => [status, undefined, false]),
    ...[400, 402, 409, 500].map((status): [number, unknown, string] => [status, undefined, 'refused'])
  ]
  for (const [status, body, outcome] of cases) {
    const { backend } = backendByHand(() => ({ status, body }))
    const isThere = createReferenceCheck(backend)
    const read = () => isThere(asker('t'), 'Patient', '1').catch(refusedResponse)
    t.equal(await read(), outcome, `${status} ${JSON.stringify(body)}`)
    t.equal(await read(), outcome, 'again')
  }
})
