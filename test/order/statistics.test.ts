import t from 'tap'
import type { OrderStatistics } from '../../src/order/statistics/statistics.schemas.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { agreeTime, orders, organization, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const fixture = await testApp(t)
const w = await world(fixture)
const { nurse, provider, clerk } = w

const year = { from: '2025-01-01', to: '2025-12-31' }
const urlOf = (query: Record<string, string | string[]>) => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each])
  )
  return `${orders}/order-statistics?${new URLSearchParams(parameters as [string, string][])}`
}
const figures = async (
  caller: Caller,
  query: Record<string, string | string[]>
): Promise<OrderStatistics[]> => (await caller.get(urlOf({ ...year, ...query }), 200)).body

/** Creates an order that was submitted on a day, with lines of the monitor. */
async function orderOf(day: string, of: string, { lines = 1, to = [] as string[], more = {} } = {}) {
  const created = await w.createDraft({
    receiver: { name: 'Rasmus Receiver', patient: patient(of) },
    orderLines: Array(lines).fill({ item: w.monitor, action: 'DELIVER' }),
    ...more
  })
  await nurse.patch(pathOf(created), transitionTo('SUBMITTED'), 204)
  for (const status of to)
    await (status === 'CANCELLED' ? nurse : provider).patch(pathOf(created), transitionTo(status), 204)
  const submitted = `${day}T12:00:00Z`
  await fixture.sql`update orders set submitted_at = ${submitted},
    answered_at = case when answered_at is not null then ${submitted}::timestamptz + interval '3 hours' end
    where id = ${idOf(created)}`
  await fixture.sql`update order_lines set
    closed_at = case when closed_at is not null then ${submitted}::timestamptz + interval '2 days' end
    where order_id = ${idOf(created)}`
  return pathOf(created)
}

t.test('counts orders, lines, statuses, times and devices by group', async (t) => {
  await orderOf('2025-01-31', 'p1', { lines: 2, to: ['ACCEPTED', 'FULFILLED'] })
  await orderOf('2025-02-01', 'p2', { to: ['REJECTED'] })
  await orderOf('2025-02-28', 'p2', { to: ['CANCELLED'] })
  await orderOf('2024-12-31', 'p3')
  const none = { rejected: 0, cancelled: 0, fulfilled: 0, late: 0, returned: 0, devicesInUse: 0 }
  for (const caller of [nurse, provider])
    t.same(await figures(caller, { groupBy: 'month' }), [
      {
        ...{ month: '2025-01', orders: 1, lines: 2, ...none, fulfilled: 1 },
        ...{ answerHoursMedian: 3, deliveryDaysMedian: 2, devicesInUse: 0 }
      },
      {
        ...{ month: '2025-02', orders: 2, lines: 2, ...none, rejected: 1, cancelled: 1 },
        ...{ answerHoursMedian: 3, deliveryDaysMedian: null }
      }
    ])
  const until = { from: '2025-01-01', to: '2026-12-31' }
  t.match(await figures(provider, { groupBy: 'month', ...until }), [
    { month: '2025-01', devicesInUse: 2 },
    {}
  ])
  t.match(await figures(nurse, { groupBy: ['item', 'buyer'] }), [
    { item: w.monitor, buyer: w.buyer, orders: 3 }
  ])
  t.match(await figures(nurse, { groupBy: 'action', seller: w.seller }), [
    { seller: w.seller, action: 'DELIVER', orders: 3, lines: 4 }
  ])
  t.same(await figures(nurse, { groupBy: 'month', item: w.repair }), [])
  for (const other of [w.otherNurse, w.otherProvider]) t.same(await figures(other, { groupBy: 'month' }), [])
})

t.test('counts orders that were late or returned earlier', async (t) => {
  const late = await orderOf('2025-03-01', 'p1', { more: { latestDeliveryDate: '2025-03-02' } })
  const returned = await orderOf('2025-03-01', 'p1')
  const lineOf = async (path: string) =>
    `${orders}/order-line/${(await nurse.get(`${path}/details`, 200)).body.orderLines[0].id}`
  await provider.patch(await lineOf(returned), transitionTo('UNFULFILLED'), 204)
  await nurse.patch(await lineOf(returned), transitionTo('SUBMITTED'), 204)
  const row = async () =>
    (await figures(nurse, { groupBy: 'month', from: '2025-03-01', to: '2025-03-31' }))[0]
  t.match(await row(), { orders: 2, late: 1, returned: 1 })
  await provider.patch(await lineOf(late), agreeTime('2999-01-01T10:00:00Z', '2999-01-01T11:00:00Z'), 204)
  t.match(await row(), { orders: 2, late: 1, returned: 1 }, 'a later agreement keeps it')
})

t.test('merges small groups of a month for a clerk', async (t) => {
  const scale = await w.addModel()
  const orderLines = [{ item: scale, action: 'DELIVER' }]
  for (const at of [1, 2, 3]) await orderOf('2025-08-10', `d${at}`)
  for (const at of [4, 5, 6]) await orderOf('2025-08-10', `d${at}`, { more: { orderLines } })
  const august = { from: '2025-08-01', to: '2025-08-31' }
  t.match(await figures(clerk, { groupBy: 'item', ...august }), [{ item: null, orders: 6, lines: 6 }])
  t.same(await figures(clerk, { groupBy: 'item', item: scale, ...august }), [])
  t.same(await figures(clerk, { groupBy: 'month', item: scale, ...august }), [])
  t.match(await figures(nurse, { groupBy: 'month', item: scale, ...august }), [{ orders: 3 }])
})

t.test('rejects other periods and keys', async (t) => {
  const rejected = async (caller: Caller, query: object) =>
    outcome(await caller.get(urlOf({ ...year, groupBy: 'month', ...query })))
  t.equal(await rejected(nurse, { to: '2024-12-31' }), '400 invalid-query /to')
  t.equal(await rejected(nurse, { from: '2022-01-01' }), '400 invalid-query /to')
  t.equal(await rejected(nurse, { groupBy: 'patient' }), '400 invalid-query /groupBy/0')
  t.equal(
    await rejected(nurse, { groupBy: ['month', 'buyer', 'action'], seller: w.seller }),
    '400 invalid-query /groupBy'
  )
  t.equal(await rejected(clerk, { from: '2025-01-02' }), '400 invalid-query /from')
  t.equal(await rejected(clerk, { to: '2025-12-30' }), '400 invalid-query /to')
  t.equal(await rejected(nurse, { from: '2025-01-02', to: '2025-12-30' }), '200 some')
  const unpermitted = fixture.as('Provider', organization('provider'), { permissions: ['Order.read'] })
  t.equal(await rejected(unpermitted, {}), '403 forbidden')
})

t.test('returns CSV, and records the request without patients', async (t) => {
  const url = urlOf({ ...year, groupBy: 'month' })
  const answer = await nurse.send({ method: 'GET', url, headers: { accept: 'text/csv' } })
  t.match(answer.headers['content-type'], 'text/csv')
  const [row] = await fixture.sql`select operation, patients, orders from audit_events
    where operation = 'listOrderStatistics' order by id desc limit 1`
  t.match(row, { operation: 'listOrderStatistics', patients: [], orders: [] })
})
