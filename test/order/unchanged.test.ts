import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

/* JSON Patches whose result equals the stored resource. */

const former = 'https://former.example'
const { app, w } = await testWorld(t, { REFERENCE_ORIGINS: former })
const { nurse, provider } = w

const read = async (url: string) => (await nurse.get(pathOf(url), 200)).body
const test = (path: string, value: unknown) => ({ op: 'test', path, value })
/** A reference to the same resource at the former origin. */
const formerUrl = (url: string) => `${former}${pathOf(url)}/`
const auditRecords = async (url: string) =>
  (
    await app.sql`select from audit_events
      where operation like 'patchOrder%' and problem is null and ${idOf(url)}::uuid = any(orders)`
  ).length

/** Sends JSON Patches of an order or its line and asserts that only audit records are written. */
async function changesNothing(order: string, cases: readonly (readonly [Caller, string, object[]])[]) {
  // The digest also detects a row that is written without a change.
  const content = () => contentOf(app.sql, 't.xmin || t::text')
  const [before, records] = [await content(), await auditRecords(order)]
  for (const [by, url, patch] of cases)
    t.equal(outcome(await by.patch(pathOf(url), patch)), '204', JSON.stringify(patch))
  t.same(await content(), before, 'nothing was written')
  t.equal(await auditRecords(order), records + cases.length)
}

t.test('a patch of a draft with the stored values writes only its audit record', async (t) => {
  const draft = await w.createDraft({
    name: 'Draft',
    identifiers: [{ system: 'urn:s', value: 'v' }],
    notes: [{ note: 'n', timestamp: '2026-03-01T10:00:00Z', authorName: 'a', authorOrganization: 'o' }],
    receiver: { name: 'R', addressLine1: 'A', patient: 'https://fhir.example/Patient/p1' }
  })
  const line = await w.addLine(draft)
  const note = { note: 'n', timestamp: '2026-03-01T11:00:00+01:00', authorName: 'a', authorOrganization: 'o' }
  const receiver = { name: 'R', 'addressLine 1': 'A', clinicalRef: 'https://fhir.example/Patient/p1/' }
  const { etag } = (await nurse.get(pathOf(draft), 200)).headers
  await changesNothing(draft, [
    [nurse, draft, []],
    [nurse, draft, [replace('/identifiers', [{ system: 'urn:s', value: 'v' }])]],
    [nurse, draft, [replace('/notes', [note])]],
    [nurse, draft, [replace('/receiver', receiver)]],
    [nurse, draft, [replace('/name', 'Other'), replace('/name', 'Draft')]],
    [nurse, draft, [replace('/buyer', formerUrl(w.buyer)), replace('/seller', formerUrl(w.seller))]],
    [nurse, line, [replace('/item', formerUrl(w.monitor)), replace('/order', formerUrl(draft))]]
  ])
  t.equal((await nurse.get(pathOf(draft), 200)).headers.etag, etag)
})

t.test('a patch of a submitted order with the stored values writes only its audit record', async (t) => {
  const { order, lines } = await w.submitted()
  const [line = ''] = lines
  const { updated } = await read(order)
  const receiver = { name: 'Rasmus Receiver', patient: 'https://fhir.example/Patient/p1' }
  await changesNothing(order, [
    [nurse, order, [replace('/receiver', receiver)]],
    [provider, order, [replace('/seller', formerUrl(w.seller))]],
    [provider, line, [replace('/item', formerUrl(w.monitor))]]
  ])
  t.equal((await read(order)).updated, updated)
})

t.test('a test operation compares references whatever their origin', async (t) => {
  const draft = await w.createDraft()
  const line = await w.addLine(draft)
  await changesNothing(draft, [
    [nurse, draft, [test('/seller', formerUrl(w.seller))]],
    [nurse, line, [test('/item', formerUrl(w.monitor)), test('/order', formerUrl(draft))]]
  ])
  t.equal(outcome(await nurse.patch(pathOf(line), [test('/item', formerUrl(w.repair))])), '409 failed-test')
})

t.test('If-Match and the status are checked even if nothing would change', async (t) => {
  const { order } = await w.submitted()
  const { name } = await read(order)
  const stale = { 'if-match': '"stale"' }
  const refused = await nurse.patch(pathOf(order), [replace('/name', name)], undefined, stale)
  t.equal(outcome(refused), '412 precondition-failed')
  t.equal(outcome(await nurse.patch(pathOf(order), transitionTo('SUBMITTED'))), '409 illegal-transition')
  t.equal((await nurse.get(`${orders}/orders?limit=1`, 200)).body[0].status.code, 'SUBMITTED')
})
