import t from 'tap'
import { clinicalWorld } from '../fixtures/clinical.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { until } from '../fixtures/waiting.js'
import { catalogue, orders, pathOf, transitionTo } from '../fixtures/world.js'

/* An item that becomes impossible to order while the server waits for the clinical backend. */

const w = await clinicalWorld(t, { REQUIRE_CONSENT: 'true' })
const { fhir, nurse, clerk } = w
await fhir.keep({
  resourceType: 'Consent',
  id: 'given',
  status: 'active',
  category: [{ coding: [{ system: 'urn:consents', code: 'SSLPCI' }] }],
  patient: { reference: 'Patient/p1' }
})
const entry = { buyer: w.buyer, item: w.monitor }

/**
 * Sends a request, and removes the item from the white list before the clinical backend responds.
 */
async function withoutItem<T>(path: string, send: () => Promise<T>): Promise<T> {
  const [listed] = (await clerk.get(`${catalogue}/white-lists?${new URLSearchParams(entry)}`, 200)).body
  await fhir.forget()
  await fhir.behave('held', { path })
  const response = send()
  await until(async () => (await fhir.received()).some(({ url }) => url.includes(path)))
  await clerk.delete(`${catalogue}/white-list/${listed.id}`, 204)
  await fhir.behave('well')
  return response
}

t.test('rejects a submission after the consent was found', async (t) => {
  const order = await w.createDraft()
  await w.addLine(order)
  const response = await withoutItem('/Consent', () => nurse.patch(pathOf(order), transitionTo('SUBMITTED')))
  t.equal(outcome(response), '422 not-white-listed /0/value')
  t.match((await nurse.get(pathOf(order), 200)).body, { status: { code: 'DRAFT' }, submitted: null })
  await clerk.create(`${catalogue}/white-list`, entry)
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
})

t.test('rejects a new order with a line after the patient was found', async (t) => {
  const receiver = { name: 'R', patient: w.patient('p2') }
  const body = w.draft({ receiver, orderLines: [{ item: w.monitor, action: 'DELIVER' }] })
  const response = await withoutItem('/Patient', () => nurse.post(`${orders}/order`, body))
  t.equal(outcome(response), '422 not-white-listed /orderLines/0/item')
  await writingNothing(t, w.sql, async () => {
    t.equal(outcome(await nurse.post(`${orders}/order`, body)), '422 not-white-listed /orderLines/0/item')
  })
})
