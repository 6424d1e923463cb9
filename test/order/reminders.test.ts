import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import t, { type Test } from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { reportReminders } from '../../src/order/reminders/report-reminders.js'
import { settingsWithoutTimePressure, type TestApp, testApp } from '../fixtures/app.js'
import { setTime } from '../fixtures/clock.js'
import { type Event, readOn } from '../fixtures/events/reading.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { add, orders, organization, pathOf, transitionTo, type World, world } from '../fixtures/world.js'

/** Two instances at a database, with one clock. */
async function instances(t: Test) {
  const first = await testApp(t)
  const w = await world(first)
  const second = await buildApp(
    loadConfig({ ...settingsWithoutTimePressure, LOG_LEVEL: 'silent' }),
    asServerRole(first.databaseUrl)
  )
  t.teardown(() => second.close())
  await second.ready()
  const runAt = async (time: string) => {
    for (const app of [first.app, second]) setTime({ app }, time)
    await Promise.all([first.app, second, first.app, second].map((app) => reportReminders(app)))
  }
  return { app: first, w, runAt }
}
const types = 'order.overdue,order-line.delivery-due'
const remindersOf = async (w: World): Promise<Event[]> =>
  (await readOn(w.provider, `${orders}/events?types=${types}`)).events

/** Sets when an order was submitted, with the days to answer, and the agreed time of a line. */
const submittedAt = (app: TestApp, order: string, time: string) =>
  app.sql`update orders set submitted_at = ${time},
    answer_due_at = answer_due_at + (${time}::timestamptz - submitted_at) where id = ${idOf(order)}`
const agree = (app: TestApp, line: string, from: string, to: string) =>
  app.sql`update order_lines set agreed_from = ${from}, agreed_to = ${to} where id = ${idOf(line)}`

t.test(
  'an overdue order is reported once for each cause and due time, by any number of instances',
  async (t) => {
    const { app, w, runAt } = await instances(t)
    const { order, lines } = await w.submitted(2)
    const [line = '', other = ''] = lines
    await submittedAt(app, order, '2026-03-01T12:00:00Z')
    const overdue = async () => (await remindersOf(w)).map(({ data, subject }) => [subject, data.attention])
    const updated = async () => (await w.nurse.get(pathOf(order), 200)).body.updated
    const before = await updated()
    const revision = async () =>
      Number((await app.sql`select revision from orders where id = ${idOf(order)}`)[0]?.revision)
    const first = await revision()
    const agreeAs = (from: string, to: string) =>
      w.provider.patch(pathOf(line), [add('/agreedFrom', from), add('/agreedTo', to)], 204)
    const wish = (value: string) => w.nurse.patch(pathOf(order), [add('/latestDeliveryDate', value)], 204)

    await runAt('2026-03-04T12:00:00.000Z')
    t.same(await overdue(), [], 'not after three days')
    await runAt('2026-03-04T12:00:00.001Z')
    const unanswered = [order, 'UNANSWERED']
    t.same(await overdue(), [unanswered])
    const [event] = await remindersOf(w)
    t.match(event, { type: 'order.overdue', sequence: '0000000003' })
    t.same(event?.data, { kind: 'Order', change: 'changed', url: order, attention: 'UNANSWERED' })
    t.equal(await revision(), first)
    t.equal(await updated(), before, 'it is no change of the order')

    await runAt('2026-03-05T12:00:00.001Z')
    t.same(await overdue(), [unanswered], 'once')
    await agreeAs('2026-03-06T08:00:00Z', '2026-03-06T10:00:00Z')
    await runAt('2026-03-07T12:00:00Z')
    const late = [order, 'LATE']
    t.same(await overdue(), [unanswered, late], 'hours that were missed are caught up')
    await agreeAs('2026-03-07T08:00:00Z', '2026-03-08T10:00:00Z')
    await runAt('2026-03-08T10:00:00Z')
    t.equal((await overdue()).length, 2, 'another time is not due yet')
    await runAt('2026-03-08T11:00:00Z')
    t.same(await overdue(), [unanswered, late, late])

    await agreeAs('2026-05-01T08:00:00Z', '2026-05-01T10:00:00Z')
    await wish('2026-03-28')
    await runAt('2026-03-28T22:59:59Z')
    t.equal((await overdue()).length, 3)
    await runAt('2026-03-28T23:00:01Z')
    t.equal((await overdue()).length, 4, 'the latest day has ended in Copenhagen')
    await wish('2026-03-29')
    await runAt('2026-03-29T21:59:59Z')
    t.equal((await overdue()).length, 4)
    await runAt('2026-03-29T22:00:01Z')
    t.equal((await overdue()).length, 5, 'after a day of 23 hours')

    await w.provider.patch(pathOf(order), [add('/notes/-', { note: 'n' })], 204)
    const { events } = await readOn(w.nurse, `${orders}/events`)
    const sequences = events
      .filter(({ subject }) => subject === order)
      .map(({ sequence }) => Number(sequence))
    t.same(
      sequences,
      sequences.map((_, at) => at + 1),
      'each event of the order has a number'
    )
    await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
    for (const each of [line, other]) await w.provider.patch(pathOf(each), transitionTo('FULFILLED'), 204)
    await runAt('2026-05-01T12:00:00Z')
    t.equal((await overdue()).length, 5, 'a closed order is not overdue')
  }
)

t.test('a reminder changes no tag, no revision and no time of an order', async (t) => {
  const { app, w, runAt } = await instances(t)
  const { body } = await w.clerk.get(pathOf(w.contract), 200)
  await w.clerk.put(pathOf(w.contract), { ...body, reminderDays: 2 }, 204)
  const { order, lines } = await w.submitted()
  const line = lines[0] ?? ''
  await submittedAt(app, order, '2026-03-01T12:00:00Z')
  await agree(app, line, '2026-03-30T08:00:00Z', '2026-03-30T10:00:00Z')
  const now = '2026-03-29T12:00:00Z'
  setTime(app, now)
  const paths = [pathOf(order), `${pathOf(order)}/details`, pathOf(line), `${orders}/orders`]
  const read = () =>
    Promise.all(
      paths.map(async (path) => {
        const { headers, body } = await w.nurse.get(path, 200)
        return [path, headers.etag, body]
      })
    )
  const rows = () => app.sql`
    select o.revision, o.changed_at, o.trace_count, o.event_count, l.event_count as of_line
    from orders o join order_lines l on l.order_id = o.id`
  const [before, [first]] = [await read(), await rows()]
  await runAt(now)
  t.equal((await remindersOf(w)).length, 2)
  t.same(await read(), before)
  t.same(await rows(), [{ ...first, event_count: first?.event_count + 1, of_line: first?.of_line + 1 }])
  const [, tag] = before.find(([path]) => path === pathOf(line)) ?? []
  await w.provider.patch(pathOf(line), transitionTo('FULFILLED'), 204, { 'if-match': String(tag) })
})

t.test('an agreed delivery is reported reminderDays before, once for each line and day', async (t) => {
  const { app, w, runAt } = await instances(t)
  const { order, lines } = await w.submitted(3)
  const [line = '', other = '', returned = ''] = lines
  await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  // The first hour of the 30th in Copenhagen, after the day of 23 hours.
  await agree(app, line, '2026-03-29T22:00:00Z', '2026-04-29T23:00:00Z')
  await agree(app, other, '2026-04-10T08:00:00Z', '2026-04-10T09:00:00Z')
  await agree(app, returned, '2026-03-29T08:00:00Z', '2026-03-29T09:00:00Z')
  await w.provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  await runAt('2026-03-29T12:00:00Z')
  t.same(await remindersOf(w), [], 'no contract has reminderDays')

  const { body } = await w.clerk.get(pathOf(w.contract), 200)
  await w.clerk.put(pathOf(w.contract), { ...body, reminderDays: 2, expiryReminderDays: 0 }, 204)
  await w.clerk.create(`${orders}/contract`, { ...body, id: null, reminderDays: 9, name: 'Later' })
  // Contracts of other times, of another seller, and of another buyer do not count.
  const foreign = { ...body, id: null, reminderDays: 0 }
  for (const differing of [
    { validityPeriod: { start: [2025, 1, 1], end: [2026, 2, 28] } },
    { validityPeriod: { start: [2026, 6, 1], end: [2999, 12, 31] } },
    { seller: w.otherSeller }
  ])
    await w.clerk.create(`${orders}/contract`, { ...foreign, ...differing })
  const otherClerk = app.as('AdministrativeClerk', organization('other-region'))
  await otherClerk.create(`${orders}/contract`, { ...foreign, buyer: [w.otherBuyer] })
  await runAt('2026-03-27T22:59:59Z')
  t.same(await remindersOf(w), [], 'the 27th in Copenhagen')
  await runAt('2026-03-27T23:00:00Z')
  const [event, ...more] = await remindersOf(w)
  t.same(more, [])
  t.match(event, { type: 'order-line.delivery-due', subject: line, sequence: '0000000003' })
  t.same(event?.data, { kind: 'OrderLine', change: 'changed', url: line, order }, 'without times')

  await agree(app, line, '2026-03-30T10:00:00Z', '2026-04-30T12:00:00Z')
  await runAt('2026-03-28T12:00:00Z')
  t.equal((await remindersOf(w)).length, 1, 'another time of the same day')
  await agree(app, line, '2026-03-31T10:00:00Z', '2026-04-30T12:00:00Z')
  await runAt('2026-03-28T21:00:00Z')
  t.equal((await remindersOf(w)).length, 1)
  await runAt('2026-03-30T10:00:00Z')
  t.same(
    (await remindersOf(w)).map(({ subject, sequence }) => [subject, Number(sequence)]),
    [
      [line, 3],
      [line, 4]
    ],
    'another day'
  )
  const [row] = await app.sql`select event_count from order_lines where id = ${idOf(line)}`
  t.same(row, { event_count: 4 })
})

t.test('reports no delivery whose agreed time has begun', async (t) => {
  const { app, w, runAt } = await instances(t)
  const { body } = await w.clerk.get(pathOf(w.contract), 200)
  await w.clerk.put(pathOf(w.contract), { ...body, reminderDays: 2, answerDays: 365 }, 204)
  const { order, lines } = await w.submitted(3)
  await submittedAt(app, order, '2026-03-01T12:00:00Z')
  const [earlier = '', begun = '', coming = ''] = lines
  await agree(app, earlier, '2026-03-20T08:00:00Z', '2026-04-01T10:00:00Z')
  await agree(app, begun, '2026-03-27T11:59:59Z', '2026-03-27T13:00:00Z')
  await agree(app, coming, '2026-03-27T12:00:00Z', '2026-03-27T13:00:00Z')
  await runAt('2026-03-27T12:00:00Z')
  t.same(
    (await remindersOf(w)).map(({ type, subject }) => [type, subject]),
    [['order-line.delivery-due', coming]]
  )
})

t.test('a change after the search for reminders counts', async (t) => {
  const { app, w } = await instances(t)
  const { app: server, sql } = app
  setTime(app, '2026-04-01T12:00:00Z')
  const happenings: [what: string, happen: (order: string) => Promise<unknown>, reported: number][] = [
    ['nothing', async () => {}, 1],
    ['an answer', (order) => w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204), 0],
    [
      'the same reminder, of another instance',
      (order) => sql`insert into reminders (subject_id, kind, due_at)
        values (${idOf(order)}, 'UNANSWERED', '2026-03-04T12:00:00Z')`,
      0
    ]
  ]
  for (const [what, happen, reported] of happenings) {
    const { order } = await w.submitted()
    await submittedAt(app, order, '2026-03-01T12:00:00Z')
    const original = server.db as unknown as PostgresJsDatabase
    const transaction: PostgresJsDatabase['transaction'] = async (run) => {
      await happen(order)
      return original.transaction(run)
    }
    const db = Object.assign(Object.create(original), { transaction })
    await reportReminders(Object.create(server, { db: { value: db } }))
    const own = (await remindersOf(w)).filter(({ subject }) => subject === order)
    t.equal(own.length, reported, what)
  }
})

t.test('concurrent reminders and changes of an order both take effect', async (t) => {
  const { app, w, runAt } = await instances(t)
  const made = await Promise.all([1, 2, 3, 4].map(() => w.submitted()))
  for (const { order } of made) await submittedAt(app, order, '2026-03-01T12:00:00Z')
  const note = add('/notes/-', { note: 'n' })
  await Promise.all([
    runAt('2026-04-01T12:00:00Z'),
    ...made.flatMap(({ order }) => [1, 2, 3].map(() => w.nurse.patch(pathOf(order), [note], 204)))
  ])
  // The next run reports later changes.
  await runAt('2026-04-01T12:00:00Z')
  t.equal((await remindersOf(w)).length, made.length)
  const { events } = await readOn(w.nurse, `${orders}/events`)
  for (const { order } of made) {
    const own = events.filter(({ subject }) => subject === order)
    t.same(
      own.map(({ sequence }) => Number(sequence)),
      [1, 2, 3, 4, 5, 6]
    )
    t.equal((await w.nurse.get(pathOf(order), 200)).body.notes.length, 3)
  }
})
