import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { addOtherService, deliverLine, lineTrace, read, submittedLine } from '../fixtures/devices.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import {
  add,
  catalogue,
  deviceModel,
  orders,
  pathOf,
  patient,
  transitionTo,
  type World,
  world
} from '../fixtures/world.js'

const app = await testApp(t)
const fulfil = transitionTo('FULFILLED')

/** Creates a model in a separate catalogue. */
async function createModel(w: World, seller: string, more: object = {}): Promise<string> {
  const model = deviceModel(await w.addCatalogue({ seller }), { name: 'UA-651', model: 'UA-651' })
  return w.clerk.create(`${catalogue}/catalogue-item`, { ...model, ...more })
}

t.test('a provider delivers another model even if the buyer cannot order it', async (t) => {
  const w = await world(app)
  const cases: [what: string, forbid: (item: string) => Promise<unknown>][] = [
    ['not on the white list', async () => {}],
    [
      'on the black list',
      async (item) => {
        await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item })
        await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item })
      }
    ],
    [
      'discontinued',
      async (item) => {
        await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item })
        await app.sql`update catalogue_items set status = 'DISCONTINUED' where id = ${idOf(item)}`
      }
    ],
    ['without a contract', () => app.sql`update contracts set last_day = '2020-12-31'`]
  ]
  const responses: unknown[] = []
  for (const [what, forbid] of cases) {
    const item = await createModel(w, w.seller)
    const line = await submittedLine(w)
    await forbid(item)
    const patch = [...fulfil, add('/device/item', item), add('/device/udi', 'U')]
    const representation = { prefer: 'return=representation' }
    const { status, body, headers } = await w.provider.patch(pathOf(line), patch, undefined, representation)
    const { id: _, order, device, ...others } = body
    responses.push([status, Object.keys(headers).sort(), others.status, Object.keys(device)])
    const shown = await read(w.nurse, line)
    const model = { item, name: 'UA-651', manufacturer: 'A&D', model: 'UA-651', udi: 'U', until: null }
    t.match(shown, { item: w.monitor, orderedItem: { name: 'Blood pressure monitor' }, device: model }, what)
    t.equal(shown.device.isOrderable, false, what)
    const details = async (by = w.nurse) =>
      (await by.get(`${pathOf(order)}/details`, 200)).body.orderLines[0].device
    const listed = async (by = w.nurse) =>
      (await by.get(`${orders}/order-lines?order=${encodeURIComponent(order)}`, 200)).body[0].device
    const expanded = async (by = w.nurse) =>
      (await by.get(`${pathOf(order)}?expand=orderLines`, 200)).body.expanded[line].device
    for (const readDevice of [details, listed, expanded]) {
      t.same(await readDevice(), shown.device)
      const { isOrderable, ...forProvider } = shown.device
      t.same(await readDevice(w.provider), forProvider, 'a provider must not learn of a black list')
    }
    const trace = (await lineTrace(w.nurse, line)).find(({ code }) => code === 'another-model-delivered')
    t.match(trace, {
      text: 'Another model was delivered.',
      supplementaryText: 'Old value: Blood pressure monitor. New value: UA-651.'
    })
    await app.sql`update catalogue_items set name = 'Renamed' where id = ${idOf(item)}`
    t.equal((await read(w.nurse, line)).device.name, 'UA-651', 'as it was delivered')
    await app.sql`update contracts set last_day = '2999-12-31'`
  }
  for (const response of responses) t.same(response, responses[0], 'each response has the same form')
})

t.test('a model that the buyer could order is not marked as another model', async (t) => {
  const w = await world(app)
  const item = await createModel(w, w.seller)
  await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item })
  for (const [model, traces] of [
    [item, ['another-model-delivered']],
    [`${w.monitor}/`, []]
  ] as const) {
    const line = await deliverLine(w, [add('/device', { item: model, serialNumber: 'S' })])
    const { device } = await read(w.nurse, line)
    t.match(device, { item: model.replace(/\/$/, ''), serialNumber: 'S' })
    t.notOk('isOrderable' in device)
    const codes = (await lineTrace(w.nurse, line)).map(({ code }) => code)
    t.same(
      codes.filter((code) => code === 'another-model-delivered'),
      traces
    )
  }
})

t.test('a service for any device delivers the model that the provider names', async (t) => {
  const w = await world(app)
  const item = await addOtherService(w)
  const model = await createModel(w, w.otherSeller)
  const line = await submittedLine(w, { item }, { seller: w.otherSeller })
  await w.otherProvider.patch(pathOf(line), [...fulfil, add('/device/item', model)], 204)
  t.match((await read(w.nurse, line)).device, { item: model, isOrderable: false })
  const found = `${orders}/order-lines?deviceItem=${encodeURIComponent(model)}&inUse=true`
  t.equal((await w.nurse.get(found, 200)).body.length, 1)
})

t.test('only a device model of the seller can be delivered, with FULFILLED', async (t) => {
  const w = await world(app)
  const [item, foreign] = [await createModel(w, w.seller), await createModel(w, w.otherSeller)]
  const line = await submittedLine(w)
  const done = await deliverLine(w)
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: done })
  const unknown = item.replace(/.{12}$/, '000000000000')
  const dangling = '422 dangling-reference /1/value'
  for (const [by, url, patch, refusal] of [
    [w.provider, line, [...fulfil, add('/device/item', foreign)], dangling],
    [w.provider, line, [...fulfil, add('/device/item', unknown)], dangling],
    [w.provider, line, [...fulfil, add('/device/item', w.repair)], dangling],
    [w.provider, line, [...fulfil, add('/device/item', line)], dangling],
    [w.provider, line, [...fulfil, add('/device/item', 'UA-651')], dangling],
    [w.provider, line, [...fulfil, add('/device/item', 7)], '422 invalid-result /1/value'],
    [w.provider, line, [...fulfil, add('/device/name', 'UA-651')], '422 read-only /1/value'],
    [w.provider, line, [...fulfil, add('/device/isOrderable', true)], '422 read-only /1/value'],
    [w.provider, line, [add('/device/item', item)], '422 no-device /0/value'],
    [w.provider, done, [add('/device/item', item)], '422 read-only /0/value'],
    [w.provider, pickup, [...fulfil, add('/device/item', item)], '422 no-device /1/value'],
    [w.nurse, line, [...fulfil, add('/device/item', item)], '403 not-your-move']
  ] as const)
    t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
  t.equal((await read(w.nurse, line)).status.code, 'SUBMITTED')
  t.equal((await read(w.nurse, done)).device.item, w.monitor)
})
