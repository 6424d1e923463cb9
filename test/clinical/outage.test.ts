import t from 'tap'
import { fixedLimits } from '../../src/settings/limits.js'
import { clinicalWorld } from '../fixtures/clinical.js'
import { clockOf } from '../fixtures/clock.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, catalogue, orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

t.test('an outage of the clinical backend', async (t) => {
  const REMOTE_TIMEOUT = 10_000
  const clock = clockOf(t)
  const w = await clinicalWorld(t, { DATABASE_POOL: '2', REMOTE_TIMEOUT: `${REMOTE_TIMEOUT}` })
  const { nurse, clerk, provider, fhir } = w
  const { order } = await w.submitted()
  const draft = await w.createDraft()
  const receiver = { name: 'R', patient: w.patient('p2') }
  /** Requests that need the backend. */
  const needing = () => [
    nurse.post(`${orders}/order`, w.draft({ receiver })),
    nurse.patch(pathOf(draft), [replace('/receiver/patient', w.patient('p2')), replace('/priority', true)]),
    nurse.post(`${catalogue}/black-list`, { patient: w.patient('p2'), item: w.monitor }),
    clerk.post(`${orders}/party`, {
      allowedRoles: ['SELLER'],
      name: 'N',
      organization: w.organization('new')
    })
  ]
  const refusal = {
    status: 503,
    headers: { 'retry-after': '10' },
    body: { code: 'clinical-backend-unavailable', status: 503 }
  }
  /** Requests that do not need the backend. */
  const goesOn = async () => {
    await nurse.get(pathOf(order), 200)
    await nurse.patch(pathOf(draft), [replace('/name', 'Still here')], 204)
    await provider.patch(pathOf(order), [add('/notes/-', { note: 'seen' })], 204)
    await w.createDraft()
    await nurse.get(`${catalogue}/catalogue-items?patient=${encodeURIComponent(w.patient('p2'))}`, 200)
  }

  t.test('takes no database connection, and other requests continue', async (t) => {
    await fhir.behave('hanging')
    await fhir.forget()
    const waiting = Promise.all(needing())
    await fhir.reached(4)
    let isAnswered = false
    void waiting.then(() => {
      isAnswered = true
    })
    await goesOn()
    t.notOk(isAnswered, 'without waiting')
    t.match(
      await w.sql`select count(*)::int from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`,
      [{ count: 0 }]
    )
    const responses = await clock.passUntil(
      waiting,
      REMOTE_TIMEOUT,
      async () => (await fhir.received()).length
    )
    for (const response of responses) t.match(response, refusal)
  })

  t.test('writes nothing', async (t) => {
    await writingNothing(t, w.sql, async () => {
      await fhir.behave('cut')
      for (const response of await Promise.all(needing())) t.match(response, refusal)
      await fhir.behave('refusing')
      for (const response of await Promise.all(needing())) t.match(response, refusal)
    })
    await goesOn()
  })

  t.test('opens the circuit after several failures', async (t) => {
    await fhir.behave('well')
    await fhir.forget()
    for (const response of await Promise.all(needing())) t.match(response, refusal)
    t.same(await fhir.received(), [])
    t.equal(outcome(await nurse.patch(pathOf(draft), transitionTo('SUBMITTED'))), '422 no-open-lines')
    await goesOn()
    await nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
    clock.pass(fixedLimits.circuitOpen)
    await nurse.create(`${orders}/order`, w.draft({ receiver }))
    t.same(
      w.lines.flatMap(
        (line) => /The clinical backend (does not respond\. Requests|responds again)/.exec(line)?.[1] ?? []
      ),
      ['does not respond. Requests', 'responds again'],
      'each is logged once'
    )
  })
})

t.test('outages are logged without patient and token', async (t) => {
  // `testApp` fails the test if its log, at level trace, contains planted patients or a token.
  const { fhir, nurse, lines, draft, patient } = await clinicalWorld(t)
  await fhir.keep({ resourceType: 'Patient', id: secret })
  const unavailable = '503 clinical-backend-unavailable'
  for (const { behaviour, refusal } of [
    { behaviour: 'cut', refusal: unavailable },
    { behaviour: 'truncated', refusal: unavailable },
    { behaviour: 'html', refusal: unavailable },
    { behaviour: 'redirect', refusal: unavailable },
    { behaviour: { status: 404 }, refusal: '422 dangling-reference /receiver/patient' },
    { behaviour: { status: 418 }, refusal: unavailable },
    { behaviour: 'refusing', refusal: unavailable }
  ] as const) {
    await fhir.behave(behaviour)
    const response = await nurse.post(
      `${orders}/order`,
      draft({ receiver: { name: 'R', patient: patient(secret) } })
    )
    t.equal(outcome(response), refusal, JSON.stringify(behaviour))
  }
  const log = lines.join('')
  t.match(log, /"code":"clinical-backend-unavailable"/)
  t.match(log, /"code":"STATUS_418"/)
  t.match(log, /"code":"ECONNREFUSED"/)
  t.notMatch(log, secret)
})

// The response says why nothing was written, not only that it took too long.
t.test('the clinical requests of one patch together get two thirds of its time', async (t) => {
  const clock = clockOf(t)
  // Two thirds of this time are less than the timeout of an attempt.
  const limit = 14_400
  const times = { REQUEST_TIMEOUT: `${limit}`, REMOTE_TIMEOUT: '10000' }
  const w = await clinicalWorld(t, { ...times, REQUIRE_CONSENT: 'true' })
  const { nurse, fhir } = w
  const draft = await w.createDraft()
  await w.addLine(draft)
  const patch = [replace('/receiver/patient', w.patient('p2')), ...transitionTo('SUBMITTED')]
  await fhir.behave('held')
  await fhir.forget()
  await writingNothing(t, w.sql, async () => {
    const asking = nurse.patch(pathOf(draft), patch)
    await fhir.reached(1)
    clock.pass(limit / 2)
    await fhir.behave('held', { after: 1 })
    await fhir.reached(2)
    clock.pass(limit / 6)
    t.match(await asking, {
      status: 503,
      headers: { 'retry-after': /^[1-9]\d*$/ },
      body: { code: 'clinical-backend-unavailable' }
    })
  })
  t.match(await fhir.received(), [{ url: '/fhir/Patient/p2' }, { url: '/fhir/Consent/_search' }])
})

t.test('a caller whose requests wait for the clinical backend leaves slots to other callers', async (t) => {
  const w = await clinicalWorld(t)
  const { fhir, nurse, otherNurse, monitor } = w
  await fhir.behave('held')
  const check = (caller: typeof nurse, patient: string) =>
    caller.post(`${catalogue}/black-list`, { patient: w.patient(patient), item: monitor })
  const waiting = Array.from({ length: 15 }, (_, at) => check(nurse, `unknown-${at}`))
  await fhir.reached(10)
  waiting.push(check(otherNurse, 'unknown-other'))
  await fhir.reached(11)
  t.match((await fhir.received()).slice(10), [{ url: '/fhir/Patient/unknown-other' }])
  await fhir.behave('well')
  for (const response of await Promise.all(waiting))
    t.equal(outcome(response), '422 dangling-reference /patient')
})
