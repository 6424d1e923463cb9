import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { copyRow, idOfCopy } from '../fixtures/copies.js'
import { plantDelivery } from '../fixtures/devices.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { catalogue, orders, organization, pathOf, patient, transitionTo } from '../fixtures/world.js'

/* The list of devices that are due for calibration. */

const { app, w } = await testWorld(t)
const { clerk, nurse, provider } = w
const name = 'ehealth/device-calibration-period'
const set = 'device-calibration-period'

const annotate = (buyer: string, catalogueItem: string, code: string, more = {}) =>
  clerk.create(`${catalogue}/annotation`, { buyer, catalogueItem, name, value: vs(set, code), ...more })
const [weekly, yearly, other] = [await w.addModel(), await w.addModel(), await w.addModel()]
await annotate(w.buyer, w.monitor, '30D')
await annotate(w.buyer, weekly, '7D')
await annotate(w.buyer, yearly, '1Y')
await annotate(w.buyer, other, '7D', { name: 'their-period' })

const deliveredAt = async (time: string, more = {}) => {
  const delivered = await plantDelivery(app, w, more)
  await app.sql`update devices set used_from = ${time} where line_id = ${idOf(delivered.line)}`
  return idOf(delivered.line)
}
/** A line CALIBRATION about a device, FULFILLED at a time. */
async function calibrate(line: string, time: string, patch = transitionTo('FULFILLED'), by = provider) {
  const order = await w.createDraft()
  const relatedTo = `${w.monitor.slice(0, w.monitor.indexOf('/ssl-'))}${orders}/order-line/${line}`
  const about = await w.addLine(order, { action: 'CALIBRATION', relatedTo })
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  await by.patch(pathOf(about), patch, 204)
  await app.sql`update order_lines set closed_at = ${time} where id = ${idOf(about)}`
}

const dueTo = (day: string, more = '') => `${orders}/order-lines?inUse=true&calibrationDueTo=${day}${more}`
const found = async (day: string, more?: string) => idsOf((await nurse.get(dueTo(day, more), 200)).body)

// In Copenhagen it is 1 March already.
const monthly = await deliveredAt('2026-02-28T23:30:00Z')
const ofWeek = await deliveredAt('2026-03-10T12:00:00Z', { item: weekly, patient: patient('p2') })
const ofYear = await deliveredAt('2024-02-29T12:00:00Z', { item: yearly })
await deliveredAt('2020-01-01T12:00:00Z', { item: other })
await deliveredAt('2020-01-01T12:00:00Z', { ended: 'LOST' })

t.test('lists devices from the day that their period ends', async (t) => {
  t.same(await found('2025-02-27'), [])
  t.same(await found('2025-02-28'), [ofYear])
  t.same(await found('2026-03-16'), [ofYear])
  t.same(await found('2026-03-17'), [ofWeek, ofYear])
  t.same(await found('2026-03-30'), [ofWeek, ofYear])
  t.same(await found('2026-03-31'), [monthly, ofWeek, ofYear], '30 days after 1 March')
  t.same(await found('2026-03-31', `&patient=${encodeURIComponent(patient('p2'))}`), [ofWeek])
  const pages = await pagesAt(nurse, dueTo('2026-03-31', '&limit=1'))
  t.same(idsOf(pages.flatMap(({ body }) => body)), [monthly, ofWeek, ofYear])
  const csv = await nurse.get(dueTo('2026-03-31'), undefined, { accept: 'text/csv' })
  t.equal(String(csv.body).trim().split('\r\n').length, 4)
  t.same((await nurse.get(dueTo('2026-03-31').replace('inUse=true', 'inUse=false'), 200)).body, [])
  t.same(
    await found('2026-03-31'),
    idsOf((await nurse.get(dueTo('2026-03-31').replace('inUse=true&', ''), 200)).body)
  )
})

t.test('counts from the last calibration that was done', async (t) => {
  const calibrated = await deliveredAt('2026-01-01T12:00:00Z')
  await calibrate(calibrated, '2026-02-10T12:00:00Z')
  await calibrate(calibrated, '2026-02-01T12:00:00Z')
  await calibrate(calibrated, '2026-04-01T12:00:00Z', transitionTo('UNFULFILLED'))
  await calibrate(calibrated, '2026-04-01T12:00:00Z', transitionTo('CANCELLED'), nurse)
  t.notOk((await found('2026-03-11')).includes(calibrated))
  t.ok((await found('2026-03-12')).includes(calibrated))
})

t.test('uses the annotations of the buyer of the order', async (t) => {
  const item = await w.addModel()
  const otherClerk = app.as('AdministrativeClerk', organization('other-region'))
  await otherClerk.create(`${catalogue}/annotation`, {
    ...{ buyer: w.otherBuyer, catalogueItem: item, name },
    value: vs(set, '7D')
  })
  const line = await deliveredAt('2020-01-01T12:00:00Z', { item })
  t.notOk((await found('2030-01-01')).includes(line))
  await app.sql`update orders set buyer_id = ${idOf(w.otherBuyer)}
    where id = (select order_id from order_lines where id = ${line})`
  await app.sql`update devices set buyer_id = ${idOf(w.otherBuyer)} where line_id = ${line}`
  const { body } = await w.otherNurse.get(dueTo('2030-01-01'), 200)
  t.same(idsOf(body), [line])
})

t.test('rejects callers who may not read annotations', async (t) => {
  const reader = app.as('MonitoringResponsible', organization('region'), { permissions: ['OrderLine.read'] })
  t.equal(outcome(await reader.get(dueTo('2026-03-31'))), '403 forbidden')
  t.equal(outcome(await provider.get(dueTo('2026-03-31'))), '403 forbidden')
})

t.test('ignores a period that is no number of days, weeks, months or years', async (t) => {
  const item = await w.addModel()
  const line = await deliveredAt('2020-01-01T12:00:00Z', { item })
  await annotate(w.buyer, item, '7D')
  for (const [code, isDue] of [
    ['P1', false],
    ['2W', true]
  ] as const) {
    await app.sql`update annotations set code = ${code} where item_id = ${idOf(item)}`
    t.equal((await found('2026-03-31')).includes(line), isDue, code)
  }
})

t.test('reads about a page for each device in use', async (t) => {
  const count = 5000
  const [{ order_id = '' } = {}] = await app.sql`select order_id from devices where line_id = ${monthly}`
  const [line, order] = [idOfCopy(monthly), idOfCopy(order_id)]
  await copyRow(app, 'order_lines', monthly, count, { id: line, order_id: order })
  await copyRow(app, 'devices', monthly, count, {
    ...{ line_id: line, order_id: order },
    used_from: "case when n % 50 = 0 then '2020-01-01'::timestamptz else now() end"
  })
  await vacuum(app.sql, 'analyze')
  const isCheap = cheapReads(app, /select order_lines\.\*/, 3 * count)
  await isCheap(t, 'due', async () => {
    t.ok((await found('2026-03-31')).length > count / 50)
  })
})
