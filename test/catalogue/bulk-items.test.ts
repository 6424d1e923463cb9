import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, deviceModel, service, world } from '../fixtures/world.js'

const items = `${catalogue}/catalogue-items`
const app = await testApp(t)
const { clerk, provider, otherProvider, catalogue: list, monitor, buyer } = await world(app)

const value = { system: 'http://snomed.info/sct', code: '258057004' }
const gtin = (value: string) => ({ system: 'urn:gtin', value })
const training = (more: object = {}) => service(list, { name: 'Training', serviceType: 'TRAINING', ...more })

t.test('items of both types are created at once, in the order of the body', async (t) => {
  const scale = deviceModel(list, { manufacturer: 'M', model: 'S1', identifiers: [gtin('2')] })
  const { body } = await clerk.post(
    items,
    [
      training({ relatedTo: monitor, identifiers: [gtin('1')] }),
      scale,
      training({ annotations: [{ buyer, name: 'colour', value }] })
    ],
    201
  )
  t.match(body, [
    {
      catalogueItemType: 'Service',
      relatedTo: monitor,
      serviceType: { code: 'TRAINING' },
      status: 'AVAILABLE'
    },
    { catalogueItemType: 'DeviceModel', model: 'S1', version: null, description: null },
    { catalogueItemType: 'Service', relatedTo: null }
  ])
  t.same((await app.sql`select count(*)::int from catalogue_items`)[0], { count: 2 + 3 })
})

t.test('an empty list creates nothing, and a provider creates items without annotations', async (t) => {
  t.same((await clerk.post(items, [], 201)).body, [])
  t.equal(outcome(await provider.post(items, [training()])), '201 some')
})

t.test('nothing is created if an item is faulty', async (t) => {
  const taken = await clerk.create(`${catalogue}/catalogue-item`, training({ identifiers: [gtin('3')] }))
  const annotated = (...annotations: object[]) =>
    training({ annotations: annotations.map((each) => ({ buyer, name: 'x', value, ...each })) })
  await writingNothing(t, app.sql, async () => {
    for (const { item, by = clerk, refusal } of [
      { item: training({ identifiers: [gtin('3')] }), refusal: '409 duplicate-identifier /1/identifiers/0' },
      {
        item: training({ identifiers: [gtin('8'), gtin('8')] }),
        refusal: '409 duplicate-identifier /1/identifiers/1'
      },
      { item: training({ serviceType: 'DANCE' }), refusal: '422 unknown-coding /1/serviceType' },
      { item: training({ status: 'LOST' }), refusal: '422 unknown-coding /1/status' },
      { item: training({ relatedTo: list }), refusal: '422 dangling-reference /1/relatedTo' },
      { item: training({ relatedTo: taken }), refusal: '422 unrelated-item /1/relatedTo' },
      { item: training({ catalogue: buyer }), refusal: '422 dangling-reference /1/catalogue' },
      { item: training({ manufacturer: 'M' }), refusal: '400 invalid-body /1/manufacturer' },
      { item: training({ catalogueItemType: 'Car' }), refusal: '400 invalid-body /1/catalogueItemType' },
      { item: annotated({ name: 'a:b' }), refusal: '400 invalid-body /1/annotations/0/name' },
      {
        item: annotated({ name: 'ehealth/device-safety' }),
        refusal: '422 unknown-coding /1/annotations/0/value'
      },
      { item: annotated({}, {}), refusal: '409 duplicate-annotation' },
      { item: annotated({}), by: provider, refusal: '403 forbidden' },
      { item: training(), by: otherProvider, refusal: '422 dangling-reference /0/catalogue' }
    ])
      t.equal(outcome(await by.post(items, [training(), item])), refusal, JSON.stringify(item))
  })
})
