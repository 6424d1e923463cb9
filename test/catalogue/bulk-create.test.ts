import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { catalogue, world } from '../fixtures/world.js'

const device = { system: 'http://snomed.info/sct', code: '258057004' }
const lists = `${catalogue}/white-lists`
const annotations = `${catalogue}/annotations`
const countIn = async ({ sql }: TestApp, table: string) =>
  (await sql.unsafe(`select count(*)::int as n from ${table}`))[0]?.n as number

/** Creates items in the catalogue, and returns their URLs. */
async function newItems(clerk: Caller, list: string, count: number): Promise<string[]> {
  const item = { catalogueItemType: 'DeviceModel', catalogue: list, manufacturer: 'M', model: 'M' }
  const items = Array.from({ length: count }, (_, at) => ({ ...item, name: `Item ${at}` }))
  const { body } = await clerk.post(`${catalogue}/catalogue-items`, items, 201)
  return body.map(({ id }: { id: string }) => list.replace(/catalogue\/[^/]+$/, `catalogue-item/${id}`))
}

t.test('white list entries are created at once, all or none', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, buyer, otherBuyer, monitor, seller, catalogue: list } = await world(app)
  const items = await newItems(clerk, list, 3)
  const entries = items.map((item) => ({ buyer, item }))
  const { body } = await clerk.post(lists, entries, 201)
  t.match(body, entries)
  for (const entry of body) t.same((await nurse.get(`${catalogue}/white-list/${entry.id}`, 200)).body, entry)
  t.same((await clerk.post(lists, [], 201)).body, [])

  const [free = ''] = await newItems(clerk, list, 1)
  const valid = { buyer, item: free }
  const before = await countIn(app, 'white_list_entries')
  const cases: [entries: object[], status: number, code: string, pointers: string[]][] = [
    [[valid, { buyer, item: monitor }], 409, 'duplicate-entry', ['/1']],
    [[valid, valid, valid], 409, 'duplicate-entry', ['/1', '/2']],
    [
      [valid, { buyer, item: buyer }, { buyer: otherBuyer, item: free }],
      422,
      'dangling-reference',
      ['/1/item', '/2/buyer']
    ],
    [[{ buyer: seller, item: free }, valid], 422, 'wrong-role', ['/0/buyer']],
    [[valid, { buyer }], 400, 'invalid-body', ['/1/item']],
    [[valid, { ...valid, colour: 'red' }], 400, 'invalid-body', ['/1/colour']]
  ]
  for (const [sent, status, code, pointers] of cases) {
    const response = await clerk.post(lists, sent)
    t.match(response, { status, body: { code } }, JSON.stringify(sent))
    t.same(response.body.errors.map((each: { pointer: string }) => each.pointer).sort(), pointers)
  }
  t.match(await clerk.post(lists, valid), { status: 400, body: { code: 'invalid-body' } })
  t.match(await nurse.post(lists, [valid]), { status: 403 })
  t.equal(await countIn(app, 'white_list_entries'), before)
})

t.test('annotations are created at once, all or none', async (t) => {
  const app = await testApp(t)
  const { clerk, buyer, otherBuyer, monitor, repair } = await world(app)
  const of = (catalogueItem: string, name: string, more: object = {}) => ({
    catalogueItem,
    buyer,
    name,
    value: device,
    ...more
  })
  const sent = [of(monitor, 'ehealth/device-type'), of(repair, 'place'), of(monitor, 'place')]
  const { body } = await clerk.post(annotations, sent, 201)
  t.match(body, sent)
  for (const each of body) t.same((await clerk.get(`${catalogue}/annotation/${each.id}`, 200)).body, each)

  const before = await countIn(app, 'annotations')
  const valid = of(monitor, 'new')
  const cases: [sent: object[], status: number, code: string, pointers: string[]][] = [
    [[valid, of(monitor, 'place')], 409, 'duplicate-annotation', ['/1']],
    [[valid, valid], 409, 'duplicate-annotation', ['/1']],
    [[valid, of(monitor, 'ehealth/device-safety')], 422, 'unknown-coding', ['/1/value']],
    [
      [of(buyer, 'new'), valid, of(monitor, 'new', { buyer: otherBuyer })],
      422,
      'dangling-reference',
      ['/0/catalogueItem', '/2/buyer']
    ],
    [[valid, of(monitor, 'a|b')], 400, 'invalid-body', ['/1/name']]
  ]
  for (const [each, status, code, pointers] of cases) {
    const response = await clerk.post(annotations, each)
    t.match(response, { status, body: { code } }, JSON.stringify(each))
    t.same(response.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), pointers)
  }
  t.equal(await countIn(app, 'annotations'), before)
})
