import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

const wish = { earliestDeliveryDate: '2026-03-04', latestDeliveryDate: '2026-03-06' }
const noWish = { earliestDeliveryDate: null, latestDeliveryDate: null }
const set = (name: string, value: unknown) => add(`/${name}`, value)

const { app, w } = await testWorld(t)
const { nurse, provider } = w
const read = async (order: string) => (await nurse.get(pathOf(order), 200)).body
const tracesOf = async (order: string) =>
  (await nurse.get(`${pathOf(order)}/details`, 200)).body.traceLines.filter(
    ({ text }: { text: string }) => text === 'Delivery wish changed.'
  )
const eventsOf = (order: string) =>
  app.sql`select sequence, is_of_draft, old_status, new_status from events
    where type = 'order.wish-changed' and subject_id = ${pathOf(order).split('/').at(-1) ?? ''}`

t.test('an order has the days on which its buyer wishes the delivery, or null', async (t) => {
  const order = await w.createDraft(wish)
  t.match(await read(order), wish)
  t.match((await nurse.get(`${orders}/orders?limit=1`, 200)).body, [wish])
  t.match(await read(await w.createDraft()), noWish)
  const one = { latestDeliveryDate: '2026-03-06', earliestDeliveryDate: null }
  t.match(await read(await w.createDraft(one)), one)
  const sameDay = { earliestDeliveryDate: '2026-03-06', latestDeliveryDate: '2026-03-06' }
  t.match(await read(await w.createDraft(sameDay)), sameDay)
  const { id, ...copy } = await read(order)
  t.match(await read(await w.createDraft(copy)), wish, 'a copy of what GET returns')
})

t.test('a wish in a draft leaves no trace', async (t) => {
  const order = await w.createDraft()
  await nurse.patch(pathOf(order), [set('latestDeliveryDate', '2026-03-06')], 204)
  t.match(await read(order), { latestDeliveryDate: '2026-03-06' })
  t.same(await tracesOf(order), [])
  t.same([...(await eventsOf(order))], [])
})

t.test('the buyer changes the wish until the order ends, and each change is traced', async (t) => {
  const { order } = await w.submitted()
  const patch = Object.entries(wish).map(([name, value]) => set(name, value))
  await nurse.patch(pathOf(order), patch, 204)
  await nurse.patch(pathOf(order), patch, 204)
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  await nurse.patch(pathOf(order), [{ op: 'remove', path: '/latestDeliveryDate' }], 204)
  t.match(await read(order), { ...wish, latestDeliveryDate: null })
  t.match(await tracesOf(order), [
    {
      supplementaryText: 'Changed: earliestDeliveryDate, latestDeliveryDate.',
      statusChange: null,
      orderLine: null,
      createdByOrganization: 'region'
    },
    { supplementaryText: 'Changed: latestDeliveryDate.' }
  ])
  t.match(
    [...(await eventsOf(order))],
    [
      { sequence: 3, is_of_draft: false, old_status: null, new_status: null },
      { sequence: 5, is_of_draft: false }
    ]
  )
  const { body } = await nurse.get(`${orders}/events?types=order.wish-changed`, 200)
  t.equal(body.length, 2)
  t.notMatch(JSON.stringify(body), '2026-03-0', 'no date in an event')

  await provider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  t.equal(
    outcome(await nurse.patch(pathOf(order), [set('latestDeliveryDate', '2026-03-07')])),
    '422 order-closed /0/value'
  )
})

t.test('only the buyer changes the wish', async (t) => {
  const { order } = await w.submitted()
  const change = [set('earliestDeliveryDate', '2026-03-04')]
  await writingNothing(t, app.sql, async () => {
    t.equal(outcome(await provider.patch(pathOf(order), change)), '403 not-your-move /0/value')
    t.equal(outcome(await w.otherNurse.patch(pathOf(order), change)), '404 not-found')
  })
})

t.test('a patch without the wish, as sent by older clients, changes nothing', async (t) => {
  const { order } = await w.submitted()
  const { earliestDeliveryDate, latestDeliveryDate, ...known } = await read(order)
  const asSeen = { ...known, allowedStatuses: (await provider.get(pathOf(order), 200)).body.allowedStatuses }
  await provider.patch(pathOf(order), [replace('', asSeen)], 204)
  t.same(await tracesOf(order), [])
})

t.test('rejects days that do not exist or are in the wrong order', async (t) => {
  const order = await w.createDraft(wish)
  const running = await w.submitted()
  await writingNothing(t, app.sql, async () => {
    for (const value of [
      '2026-02-29',
      '2026-3-4',
      '04-03-2026',
      '2026-03-04T00:00:00Z',
      '0000-01-01',
      '',
      7,
      [2026, 3, 4]
    ]) {
      t.equal(
        outcome(await nurse.post(`${orders}/order`, w.draft({ latestDeliveryDate: value }))),
        '400 invalid-body /latestDeliveryDate',
        JSON.stringify(value)
      )
      t.equal(
        outcome(await nurse.patch(pathOf(order), [set('earliestDeliveryDate', value)])),
        '422 invalid-result /0/value',
        JSON.stringify(value)
      )
    }
    const reversed = { earliestDeliveryDate: '2026-03-06', latestDeliveryDate: '2026-03-05' }
    t.equal(
      outcome(await nurse.post(`${orders}/order`, w.draft(reversed))),
      '422 invalid-period /latestDeliveryDate'
    )
    const patch = Object.entries(reversed).map(([name, value]) => set(name, value))
    for (const url of [order, running.order])
      t.equal(outcome(await nurse.patch(pathOf(url), patch)), '422 invalid-period /1/value')
    t.equal(
      outcome(await nurse.patch(pathOf(order), [set('earliestDeliveryDate', '2026-03-07')])),
      '422 invalid-period /0/value'
    )
  })
  await nurse.patch(
    pathOf(order),
    [set('latestDeliveryDate', '9999-12-31'), set('earliestDeliveryDate', '0001-01-01')],
    204
  )
})
