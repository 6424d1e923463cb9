import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { copyRow, idOfCopy } from '../fixtures/copies.js'
import { plantDelivery } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders, patient } from '../fixtures/world.js'

/* The rows that lists of order lines scan for the filters of devices. */

const { app, w } = await testWorld(t)

const gtin = '05700000000004'
const numbers = { serial: 'SN-1', lot: 'LOT-7', udi: `(01)${gtin}(10)LOT-7` }
const first = await plantDelivery(app, w, numbers)
const returned = await plantDelivery(app, w, { ...numbers, serial: 'SN-2', ended: 'RETURNED' })
await app.sql`update devices set gtin = ${gtin} where udi is not null`

const found = async (caller: Caller, query: object) =>
  idsOf((await caller.get(`${orders}/order-lines?${new URLSearchParams(Object.entries(query))}`, 200)).body)
const linesOf = (...delivered: { line: string }[]) => delivered.map(({ line }) => idOf(line))

const own = { line_id: 'gen_random_uuid()', order_id: 'gen_random_uuid()' }
/** Devices of other organizations, without orders. */
const ofOthers = {
  ...{ ...own, buyer_id: 'gen_random_uuid()', seller_id: 'gen_random_uuid()' },
  ...{ buyer_organization: "'https://others'", seller_organization: "'https://others'" }
}
const copyDevice = (times: number, changed: Record<string, string>) =>
  copyRow(app, 'devices', idOf(first.line), times, changed)
const removeCopies = () => app.sql`delete from devices where order_id not in (select id from orders)`

t.test('does not scan many devices of other organizations with the same number', async (t) => {
  const none = { serial_number: 'null', lot_number: 'null', udi: 'null', gtin: 'null' }
  for (const column of ['udi', 'serial_number'])
    await copyDevice(300, { ...ofOthers, item_id: 'gen_random_uuid()', ...none, [column]: `t.${column}` })
  t.same(await found(w.nurse, { udi: numbers.udi }), linesOf(first, returned))
  t.same(await found(w.provider, { serialNumber: 'SN-1', inUse: 'true' }), linesOf(first))
  await removeCopies()
})

t.test('a list by device does not scan the devices of other organizations', async (t) => {
  await copyDevice(20_000, { ...ofOthers, serial_number: "concat('SN', n)", udi: "concat('UDI', n)" })
  await vacuum(app.sql, 'analyze devices')
  const isCheap = cheapReads(app, /(from|join) devices/, 60)
  for (const caller of [w.nurse, w.provider])
    for (const query of [
      { inUse: 'true' },
      { inUse: 'false' },
      { inUse: 'true', patient: patient('p1') },
      { serialNumber: numbers.serial },
      { udi: numbers.udi },
      { lotNumber: numbers.lot },
      { gtin },
      { q: 'sn-1' },
      { deviceItem: w.monitor },
      { deviceItem: w.monitor, lotNumber: numbers.lot, inUse: 'true' }
    ]) {
      const count = await isCheap(t, JSON.stringify(query), async () => {
        t.ok((await found(caller, query)).length > 0)
      })
      t.ok(count > 1)
    }
})

t.test('a list by a second GTIN reads the devices of other organizations at most once', async (t) => {
  await removeCopies()
  const second = '05700000000011'
  const model = { identifiers: [{ value: second }] }
  await app.sql`update devices set model = model || ${app.sql.json(model)} where line_id = ${idOf(first.line)}`
  await copyDevice(20_000, { ...ofOthers, gtin: 'null' })
  await copyDevice(20_000, { ...own, gtin: 'null', item_id: 'gen_random_uuid()', model: "'{}'" })
  const [copied] = await app.sql`select count(*)::int from devices where other_gtins && ${[second]}`
  t.ok(copied?.count > 20_000)
  await vacuum(app.sql, 'analyze devices')
  const isCheap = cheapReads(app, /(from|join) devices/, 2500)
  for (const caller of [w.nurse, w.provider])
    await isCheap(t, 'second GTIN', async () => {
      t.same(await found(caller, { gtin: second }), linesOf(first))
    })
})

t.test('a list of ended devices does not scan devices in use', async (t) => {
  await removeCopies()
  const [line, order] = [idOfCopy(idOf(first.line)), idOfCopy(idOf(first.order))]
  const none = { serial_number: 'null', lot_number: 'null', udi: 'null', gtin: 'null' }
  await copyDevice(20_000, { ...none, line_id: line, order_id: order })
  await vacuum(app.sql, 'analyze devices')
  const isCheap = cheapReads(app, /^(?!.*insert into)/s, 60)
  for (const caller of [w.nurse, w.provider]) {
    const count = await isCheap(t, 'ended', async () => {
      t.same(await found(caller, { inUse: 'false' }), linesOf(returned))
    })
    t.ok(count > 1)
  }
  await copyRow(app, 'order_lines', idOf(first.line), 20_000, { id: line, order_id: order })
  await vacuum(app.sql, 'analyze')
  const isCheapByLine = cheapReads(app, /join devices/, 200)
  for (const caller of [w.nurse, w.provider])
    await isCheapByLine(t, 'with a filter of lines', async () => {
      const query = { inUse: 'true', status: 'FULFILLED', limit: '10' }
      t.equal((await found(caller, query)).length, 10)
    })
})
