import t from 'tap'
import { clinicalWorld } from '../fixtures/clinical.js'
import { clockOf } from '../fixtures/clock.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, moveTo, orders, pathOf } from '../fixtures/world.js'

/**
 * All clinical requests of an API request together may take two thirds of its time. The response
 * then says why nothing was written, not only that it took too long.
 */

const refusal = {
  status: 503,
  headers: { 'retry-after': /^[1-9]\d*$/ },
  body: { code: 'clinical-backend-unavailable', status: 503 }
}
/** Two thirds of it are less than the timeout of an attempt. */
const limit = 14_400
const times = { REQUEST_TIMEOUT: `${limit}`, REMOTE_TIMEOUT: '10000' }

t.test('a hanging backend fails the request before its deadline', async (t) => {
  const clock = clockOf(t)
  const w = await clinicalWorld(t, times)
  const { nurse, clerk, fhir } = w
  const draft = await w.createDraft()
  const receiver = { name: 'R', patient: w.patient('p2') }
  await fhir.behave('hanging')
  await fhir.forget()
  await writingNothing(t, w.sql, async () => {
    const asking = Promise.all([
      nurse.post(`${orders}/order`, w.draft({ receiver })),
      nurse.patch(pathOf(draft), [{ op: 'replace', path: '/receiver/patient', value: w.patient('p2') }]),
      nurse.post(`${catalogue}/black-list`, { patient: w.patient('p2'), item: w.monitor }),
      clerk.post(`${orders}/party`, {
        allowedRoles: ['SELLER'],
        name: 'N',
        organization: w.organization('new')
      })
    ])
    await fhir.reached(4)
    clock.pass((limit * 2) / 3)
    for (const response of await asking) t.match(response, refusal)
  })
  t.equal((await fhir.received()).length, 4, 'each requested once')

  await fhir.settled()
  await fhir.behave('well')
  await fhir.forget()
  t.equal(
    outcome(await nurse.post(`${orders}/order`, w.draft({ receiver }))),
    '201',
    'the circuit stays closed'
  )
  t.match(await fhir.received(), [{ underWay: 1 }], 'no request remains in flight')
})

t.test('two clinical requests of one patch share its timeout', async (t) => {
  const clock = clockOf(t)
  const w = await clinicalWorld(t, { ...times, REQUIRE_CONSENT: 'true' })
  const { nurse, fhir } = w
  const draft = await w.createDraft()
  await w.addLine(draft)
  const patch = [{ op: 'replace', path: '/receiver/patient', value: w.patient('p2') }, ...moveTo('SUBMITTED')]
  await fhir.behave('held')
  await fhir.forget()
  await writingNothing(t, w.sql, async () => {
    const asking = nurse.patch(pathOf(draft), patch)
    await fhir.reached(1)
    clock.pass(limit / 2)
    await fhir.behave('held', { after: 1 })
    await fhir.reached(2)
    clock.pass(limit / 6)
    t.match(await asking, refusal)
  })
  t.match(await fhir.received(), [{ url: '/fhir/Patient/p2' }, { url: '/fhir/Consent/_search' }])
})
