import t from 'tap'
import { clinicalWorld } from '../fixtures/clinical.js'
import { clockOf } from '../fixtures/clock.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { moveTo, pathOf } from '../fixtures/world.js'

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
