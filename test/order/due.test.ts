import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { listOrders, pagesOf } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { agreeTime, orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const { nurse, provider } = w

/** A submitted order with two lines. */
async function order(wish: string | null, time?: [from: string, to: string]) {
  const created = await w.createDraft({
    latestDeliveryDate: wish,
    orderLines: Array(2).fill({ item: w.monitor, action: 'DELIVER' })
  })
  await nurse.patch(pathOf(created), transitionTo('SUBMITTED'), 204)
  const lines: string[] = (await nurse.get(`${orders}/order-lines?order=${created}`, 200)).body.map(
    ({ id }: { id: string }) => `${orders}/order-line/${id}`
  )
  if (time) await provider.patch(lines[0] ?? '', agreeTime(...time), 204)
  return { id: idOf(created), path: pathOf(created), lines: lines as [string, string] }
}

const due = async (dueTo: string, caller = provider, more = {}) =>
  idsOf((await listOrders(caller, { dueTo, ...more })).body)

t.test('an order is due by the latest delivery date that its buyer wishes', async (t) => {
  const draft = await w.createDraft({ latestDeliveryDate: '2001-03-05' })
  const { id, path } = await order('2001-03-05')
  for (const caller of [provider, nurse]) {
    t.same(await due('2001-03-04', caller), [])
    t.same(await due('2001-03-05', caller), [id], 'and no draft')
    t.same(await due('2001-03-06', caller), [id])
  }
  for (const caller of [w.otherNurse, w.otherProvider]) t.same(await due('2001-03-06', caller), [])
  await provider.patch(path, transitionTo('ACCEPTED'), 204)
  t.same(await due('2001-03-05'), [id])
  t.same(await due('2001-03-05', provider, { status: 'ACCEPTED,FULFILLED' }), [id])
  t.same(await due('2001-03-05', provider, { status: 'SUBMITTED' }), [])
  t.same(await due('2001-03-05', provider, { patient: patient('p1') }), [id])
  t.same(await due('2001-03-05', provider, { updatedSince: '2026-01-01' }), [id])
  t.same(await due('2001-03-05', provider, { sort: '-updated' }), [id])
  await provider.patch(path, transitionTo('FULFILLED'), 204)
  t.same(await due('2001-03-05'), [])
  await nurse.delete(pathOf(draft), 204)
})

t.test('an order is due by the end of a time that is agreed for a SUBMITTED line', async (t) => {
  for (const [day, end] of [
    ['2001-06-15', '2001-06-15T22:00:00.000Z'],
    ['2001-03-25', '2001-03-25T22:00:00.000Z'],
    ['2001-10-28', '2001-10-28T23:00:00.000Z']
  ] as const) {
    const before = new Date(Date.parse(end) - 3_600_000).toISOString()
    const { id, lines } = await order('2999-01-01', [before, end])
    t.same(await due(day), [id], 'an agreed time that ends with the day')
    await provider.patch(lines[0], agreeTime(before, new Date(Date.parse(end) + 1).toISOString()), 204)
    t.same(await due(day), [])
    await provider.patch(lines[0], agreeTime(before, end), 204)
    await provider.patch(lines[0], transitionTo('FULFILLED'), 204)
    t.same(await due(day), [], 'that line is delivered')
    await provider.patch(lines[1], agreeTime(before, end), 204)
    t.same(await due(day), [id])
    await provider.patch(lines[1], transitionTo('UNFULFILLED'), 204)
    t.same(await due(day), [])
  }
})

t.test('due orders are counted, sorted and read in pages', async (t) => {
  const ids = []
  for (const wish of ['1999-01-01', '1999-01-02', null, '1999-01-03'])
    ids.unshift((await order(wish, wish ? undefined : ['1999-01-01T08:00:00Z', '1999-01-01T09:00:00Z'])).id)
  t.same(await due('1999-01-03'), ids)
  const pages = await pagesOf(provider, { dueTo: '1999-01-03', count: 'true', limit: '3' })
  t.same(idsOf(pages.flatMap(({ body }) => body)), ids)
  t.equal(pages[0]?.headers['x-total-count'], '4')
})

t.test('sort=due lists orders by due time, those without one last', async (t) => {
  const late = [
    (await order('1999-02-03')).id,
    (await order('1999-02-01')).id,
    (await order('1999-02-02')).id
  ]
  const [third = '', first = '', second = ''] = late
  const draft = idOf(await w.createDraft({ latestDeliveryDate: '1999-02-01' }))
  const all = new Set([...late, draft])
  const sorted = async (caller: typeof provider, more = {}) =>
    (await pagesOf(caller, { sort: 'due', limit: '2', ...more }))
      .flatMap(({ body }) => idsOf(body))
      .filter((id) => all.has(id))
  t.same(await sorted(nurse), [first, second, third, draft], 'every page')
  t.same(await sorted(nurse, { status: 'DRAFT' }), [draft])
  for (const caller of [nurse, provider]) {
    for (const more of [{ status: 'SUBMITTED' }, { dueTo: '1999-02-03' }, { attention: 'LATE' }])
      t.same(await sorted(caller, more), [first, second, third], JSON.stringify(more))
    t.same(await sorted(caller, { dueTo: '1999-02-02' }), [first, second])
  }
  await provider.patch(`${orders}/order/${second}`, transitionTo('ACCEPTED'), 204)
  await provider.patch(`${orders}/order/${first}`, transitionTo('FULFILLED'), 204)
  t.same(await sorted(provider), [first, second, third], 'a closed order keeps its time')
  t.same(await sorted(provider, { dueTo: '1999-02-03' }), [second, third], 'of open orders')
})

t.test('an order is due when it becomes unanswered, until it is answered', async (t) => {
  const { id, path } = await order('2999-01-01')
  await app.sql`update orders set answer_due_at = '1998-05-05T10:00:00Z' where id = ${id}`
  t.same(await due('1998-05-04'), [])
  t.same(await due('1998-05-05'), [id])
  await provider.patch(path, transitionTo('ACCEPTED'), 204)
  t.same(await due('1998-05-05'), [])
})
