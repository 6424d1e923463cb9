import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { plantDelivery } from '../fixtures/devices.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { orders, organization, pathOf, patient, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const scale = await w.addModel()

const p2 = patient('p2')
const gtin = '05700000000004'
const numbers = { serial: 'SN-1', lot: 'LOT-7', udi: `(01)${gtin}(10)LOT-7` }
const first = await plantDelivery(app, w, numbers)
const returned = await plantDelivery(app, w, { ...numbers, serial: 'SN-2', ended: 'RETURNED' })
const scaled = await plantDelivery(app, w, { patient: p2, item: scale, lot: 'LOT-8', serial: 'SN-1' })
const ofOtherSeller = await plantDelivery(app, w, { ...numbers, serial: 'SN-3', seller: w.otherSeller })
const ofOtherBuyer = await plantDelivery(app, w, {
  ...{ ...numbers, serial: 'SN-4', buyer: w.otherBuyer, seller: w.otherSeller }
})
const unknownNumbers = await plantDelivery(app, w, { patient: p2 })
await app.sql`update devices set gtin = ${gtin} where udi is not null`
const { order: open } = await w.submitted()

const list = (query: object) =>
  `${orders}/order-lines?${new URLSearchParams(query as Record<string, string>)}`
const found = async (caller: Caller, query: object) => idsOf((await caller.get(list(query), 200)).body)
const linesOf = (...delivered: { line: string }[]) => delivered.map(({ line }) => idOf(line))

t.test('lines are found by the device that they delivered', async (t) => {
  const cases = [
    { query: { inUse: 'true' }, wanted: [first, scaled, ofOtherSeller, unknownNumbers] },
    { query: { inUse: 'false' }, wanted: [returned] },
    { query: { inUse: 'true', patient: patient('p1') }, wanted: [first, ofOtherSeller] },
    { query: { inUse: 'false', patient: patient('p1') }, wanted: [returned] },
    { query: { inUse: 'true', order: first.order }, wanted: [first] },
    { query: { inUse: 'true', order: open }, wanted: [] },
    { query: { inUse: 'true', item: scale }, wanted: [scaled] },
    { query: { inUse: 'true', action: 'PICKUP' }, wanted: [] },
    { query: { serialNumber: 'SN-1' }, wanted: [first, scaled] },
    { query: { serialNumber: 'SN-1', patient: p2 }, wanted: [scaled] },
    { query: { serialNumber: 'sn -1' }, wanted: [first, scaled] },
    { query: { serialNumber: 'SN1' }, wanted: [] },
    { query: { q: 'n-2' }, wanted: [returned] },
    { query: { serialNumber: 'SN-2', inUse: 'true' }, wanted: [] },
    { query: { serialNumber: 'SN-1', lotNumber: 'LOT-8' }, wanted: [scaled] },
    { query: { udi: numbers.udi }, wanted: [first, returned, ofOtherSeller] },
    { query: { lotNumber: 'LOT-7' }, wanted: [first, returned, ofOtherSeller] },
    { query: { deviceItem: `${scale}/` }, wanted: [scaled] },
    {
      query: { deviceItem: w.monitor, lotNumber: 'LOT-7', inUse: 'true' },
      wanted: [first, ofOtherSeller]
    },
    { query: { deviceItem: w.repair }, wanted: [] },
    { query: { deviceItem: `${scale.slice(0, -4)}0000` }, wanted: [] }
  ]
  for (const { query, wanted } of cases)
    t.same(await found(w.nurse, query), linesOf(...wanted), JSON.stringify(query))
})

t.test('a caller finds only the devices of orders of its organization', async (t) => {
  const stranger = app.as('Provider', organization('stranger'))
  const filters = [{ inUse: 'true' }, { deviceItem: w.monitor }, { udi: numbers.udi }, { gtin }]
  const ofNumbers = [first, returned]
  const ofOthers = [ofOtherSeller, ofOtherBuyer]
  const cases = [
    [w.provider, [first, scaled, unknownNumbers], [...ofNumbers, unknownNumbers], ofNumbers, ofNumbers],
    [w.otherProvider, ofOthers, ofOthers, ofOthers, ofOthers],
    [w.otherNurse, [ofOtherBuyer], [ofOtherBuyer], [ofOtherBuyer], [ofOtherBuyer]],
    [stranger, [], [], [], []]
  ] as const
  for (const [caller, ...wanted] of cases)
    for (const [at, query] of filters.entries())
      t.same(await found(caller, query), linesOf(...(wanted[at] ?? [])), JSON.stringify(query))
})

t.test('accepts several items as repeated parameters, also with duplicates', async (t) => {
  const query = [w.monitor, scale, scale].map((item) => `deviceItem=${encodeURIComponent(item)}`).join('&')
  const { body } = await w.nurse.get(`${orders}/order-lines?${query}`, 200)
  t.same(idsOf(body), linesOf(first, returned, scaled, ofOtherSeller, unknownNumbers))
})

t.test('pages show each line once, and their Links hide the filters', async (t) => {
  for (const query of [
    { inUse: 'true' },
    { lotNumber: 'LOT-7' },
    { udi: numbers.udi },
    { deviceItem: w.monitor },
    { inUse: 'true', patient: patient('p1') },
    { inUse: 'true', item: scale }
  ]) {
    const pages = await pagesAt(w.nurse, list({ ...query, limit: '1' }))
    t.notMatch(pages[0]?.headers.link, /LOT-7|05700000|Patient/)
    t.same(idsOf(pages.flatMap(({ body }) => body)), await found(w.nurse, query), JSON.stringify(query))
  }
})

t.test('lines about a device are found by the line that delivered it', async (t) => {
  const [line] = (await w.submitted()).lines
  const foreign = await w.submitted()
  const relate = (url: string, to: string) =>
    app.sql`update order_lines set related_to = ${idOf(to)} where id = ${idOf(url)}`
  await relate(line ?? '', first.line)
  await relate(foreign.lines[0] ?? '', ofOtherSeller.line)
  const ask = (caller: Caller, to: string, more = {}) => found(caller, { relatedTo: to, ...more })
  for (const caller of [w.nurse, w.provider]) t.same(await ask(caller, first.line), [idOf(line ?? '')])
  t.same(await ask(w.nurse, first.line, { status: 'SUBMITTED', patient: patient('p1') }), [idOf(line ?? '')])
  t.same(await ask(w.nurse, first.line, { patient: p2 }), [])
  t.same(await ask(w.nurse, ofOtherSeller.line), linesOf({ line: foreign.lines[0] ?? '' }))
  t.same(await ask(w.provider, ofOtherSeller.line), [], 'a seller that did not deliver the device')
  for (const caller of [w.otherNurse, w.otherProvider]) t.same(await ask(caller, first.line), [])
  const [refused] = await app.sql`select orders from audit_events order by recorded desc, id desc limit 1`
  t.same(refused?.orders, [idOf(first.order)], 'the buyer learns who asked for its line')
  for (const { order } of [foreign]) await w.nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
})
