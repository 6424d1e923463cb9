import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { nextOf } from '../fixtures/events/reading.js'
import { newDevice } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, organization, patient } from '../fixtures/world.js'

const device = { system: 'http://snomed.info/sct', code: '258057004' }
const unit = { system: 'urn:oid:1.2.208.176.2.1', code: 'NPU21692' }

type Filters = Record<string, string | string[]>

function query(filters: Filters): string {
  const pairs = Object.entries(filters).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  return `${catalogue}/catalogue-items?${new URLSearchParams(pairs)}`
}
const namesOf = ({ body }: { body: { name: string }[] }) => body.map((item) => item.name)

const { app, w } = await testWorld(t)
const { clerk, nurse, provider, buyer, otherBuyer, monitor, repair } = w
const otherClerk = app.as('AdministrativeClerk', organization('other-region'))
const annotate = (who: typeof clerk, catalogueItem: string, name: string, value: object, of = buyer) =>
  who.create(`${catalogue}/annotation`, { catalogueItem, buyer: of, name, value })
await annotate(clerk, monitor, 'ehealth/device-type', device)
await annotate(clerk, monitor, 'ehealth/device-measurement-type', unit)
await annotate(clerk, repair, 'ehealth/device-type', device)
await annotate(otherClerk, repair, 'ehealth/device-measurement-type', unit, otherBuyer)
// This item is not on the white list.
await newDevice(w)
const theMonitor = 'Blood pressure monitor'
const theRepair = 'Repair of the blood pressure monitor'

/** Asserts which items a search finds. */
function finds(what: string, cases: { filters: Filters; names: string[] }[]): void {
  t.test(what, async (t) => {
    for (const { filters, names } of cases)
      t.same(namesOf(await nurse.get(query(filters), 200)), names, JSON.stringify(filters))
  })
}

finds('a search filters by type and status', [
  { filters: { catalogue: w.catalogue, catalogueItemType: 'Service' }, names: [theRepair] },
  { filters: { serviceType: 'repair' }, names: [theRepair] },
  { filters: { status: 'DISCONTINUED' }, names: [] }
])

const [ofDevice, ofUnit] = [device, unit].map(({ system, code }) => `${system}/${code}`) as [string, string]
finds('a search by annotations finds items that have all, of the buyer if it is given', [
  {
    filters: { buyer, annotation: `ehealth/device-type:${device.system}|${device.code}` },
    names: [theMonitor, theRepair]
  },
  {
    filters: {
      buyer,
      annotation: [
        `ehealth/device-type:${device.system}|${device.code}`,
        `ehealth/device-measurement-type:${unit.system}|${unit.code}`
      ]
    },
    names: [theMonitor]
  },
  { filters: { buyer, annotation: [ofDevice, ofUnit] }, names: [theMonitor] },
  { filters: { annotation: [ofDevice, ofUnit] }, names: [theMonitor, theRepair] },
  { filters: { buyer, annotation: `ehealth/device-safety:${device.system}|${device.code}` }, names: [] }
])

t.test('items include annotations of the buyer', async (t) => {
  const [item] = (await nurse.get(query({ buyer, q: 'repair' }), 200)).body
  const value = { ...device, display: 'Non-invasive blood pressure monitor' }
  t.match(item.annotations, [{ catalogueItem: repair, buyer, name: 'ehealth/device-type', value }])
  t.equal(item.annotations.length, 1, 'not those of another buyer')
  t.notOk('annotations' in (await nurse.get(query({ q: 'repair' }), 200)).body[0])
})

t.test('a caller without permission for annotations neither sees nor searches them', async (t) => {
  const permissions = ['CatalogueItem.read']
  const blind = app.as('MonitoringResponsible', organization('region'), { permissions })
  t.notOk('annotations' in (await blind.get(query({ buyer }), 200)).body[0])
  t.notOk('annotations' in (await provider.get(query({}), 200)).body[0])
  for (const { caller, filters } of [
    { caller: blind, filters: { annotation: ofDevice } },
    { caller: provider, filters: { buyer } },
    { caller: provider, filters: { annotation: ofDevice } }
  ])
    t.match(outcome(await caller.get(query(filters))), /^403 /, JSON.stringify(filters))
})

t.test('a Link keeps the filters without naming the patient, and is valid only for its list', async (t) => {
  const first = await nurse.get(query({ limit: '2', patient: patient('p9') }), 200)
  const next = nextOf(first)
  t.notMatch(next, /Patient|fhir\.example/)
  const second = await nurse.get(next, 200)
  t.same([...namesOf(first), ...namesOf(second)], [theMonitor, theRepair, 'Scale'])
  t.equal(second.headers.link, undefined)
  for (const url of [`${next}&q=x`, next.replace('catalogue-items', 'annotations')])
    t.match(outcome(await nurse.get(url)), /^400 invalid-query/)
})

t.test('a search result sent as a PUT replaces the item, whose annotations stay', async (t) => {
  const found = (await nurse.get(query({ buyer }), 200)).body
  t.equal(found.length, 2)
  for (const item of found) {
    await clerk.put(`${catalogue}/catalogue-item/${item.id}`, item, 204)
    await clerk.put(`${catalogue}/catalogue-item`, { ...item, annotations: null }, 204)
  }
  t.same((await nurse.get(query({ buyer }), 200)).body, found, 'nothing changed')
  const [item] = found
  t.equal(item.annotations.length, 2)
  const changed = { ...item, name: 'Renamed', annotations: [] }
  await clerk.put(`${catalogue}/catalogue-item/${item.id}`, changed, 204)
  const [renamed] = (await nurse.get(query({ buyer, q: 'renamed' }), 200)).body
  t.same(renamed, { ...item, name: 'Renamed' }, 'annotations are ignored')
  const odd = { ...item, annotations: [{ ...item.annotations[0], colour: 'red' }] }
  t.match(outcome(await clerk.put(`${catalogue}/catalogue-item/${item.id}`, odd)), /^400 invalid-body/)
})
