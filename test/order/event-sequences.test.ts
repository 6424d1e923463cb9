import { eq } from 'drizzle-orm'
import t from 'tap'
import { newEvent } from '../../src/ledger/insert.js'
import { saveBatch } from '../../src/order/store/save.js'
import type { OrderWrite } from '../../src/order/store/save-statement.js'
import { orderLines } from '../../src/order/store/tables.js'
import { testApp } from '../fixtures/app.js'
import { plainWrite } from '../fixtures/plain-write.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { add, pathOf, world } from '../fixtures/world.js'

const test = await testApp(t)
const { app, sql } = test
const { nurse, provider, submitted } = await world(test)

/** Reports a reminder of an order and one of its line, as another instance does. */
const remind = (order: string, line: string) =>
  sql.begin(async (tx) => {
    await tx`select from orders where id = ${order} for no key update`
    await tx`
      with counted as (
        update order_lines set event_count = event_count + 1 where id = ${line} returning id, event_count)
      insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select now(), gen_random_uuid(), 'order-line.delivery-due', 'changed', id, ${order}, event_count, false from counted`
    await tx`
      with counted as (
        update orders set event_count = event_count + 1 where id = ${order} returning id, event_count)
      insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select now(), gen_random_uuid(), 'order.overdue', 'changed', id, id, event_count, false from counted`
  })

/** A change of an order and its line, with two events of the order and one event of the line. */
async function writeOf(order: string, line: string): Promise<OrderWrite> {
  const changedLines = await app.db.select().from(orderLines).where(eq(orderLines.id, line))
  const event = (subjectId: string, sequence: number) =>
    newEvent({}, new Date(), {
      type: 'order.note-added',
      change: 'changed',
      subjectId,
      ownerId: order,
      sequence
    })
  const events = [event(order, 1), event(order, 2), event(line, 1)]
  return { ...(await plainWrite(test, order)), changedLines, events }
}

/** The sequences of an order and of its line, by position, and the number that each row counts. */
async function sequencesOf(...ids: string[]) {
  const events = await sql`select subject_id, sequence from events order by position`
  const counts =
    await sql`select id, event_count from orders union all select id, event_count from order_lines`
  return ids.map((id) => ({
    sequences: events.filter((each) => each.subject_id === id).map(({ sequence }) => sequence),
    count: counts.find((each) => each.id === id)?.event_count
  }))
}

const complete = (count: number) => ({ sequences: Array.from({ length: count }, (_, at) => at + 1), count })

async function submittedIds() {
  const { order, lines } = await submitted()
  return { order: idOf(order), line: idOf(lines[0] ?? '') }
}

t.test('a reminder between load and save leaves no gap and no duplicate', async (t) => {
  const { order, line } = await submittedIds()
  const write = await writeOf(order, line)
  await remind(order, line)
  t.equal(await saveBatch(app.db, { write, begin() {} }), true)
  t.same(await sequencesOf(order, line), [complete(2 + 1 + 2), complete(2 + 1 + 1)])
})

t.test('a reminder after the beginning of the statement leaves no gap and no duplicate', async (t) => {
  const [first, second] = [await submittedIds(), await submittedIds()]
  await sql.unsafe(`
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait_for_test before update on orders for each row
      when (new.id = '${first.order}') execute function wait_for_test()`)
  const writes = [await writeOf(first.order, first.line), await writeOf(second.order, second.line)]
  const saved = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`
    const saving = Promise.all(writes.map((write) => saveBatch(app.db, { write, begin() {} })))
    await until(async () => (await countWaiting(sql)) > 0)
    await remind(second.order, second.line)
    return { saving }
  })
  t.same(await saved.saving, [true, true])
  await sql`drop function wait_for_test cascade`
  t.same(await sequencesOf(first.order, first.line), [complete(2 + 2), complete(2 + 1)])
  t.same(await sequencesOf(second.order, second.line), [complete(2 + 1 + 2), complete(2 + 1 + 1)])
})

t.test('concurrent changes of an order and its line, and reminders, are all counted', async (t) => {
  const { order, lines } = await submitted()
  const [line = ''] = lines
  const rounds = Array.from({ length: 10 }, (_, at) => at)
  const agree = (at: number) =>
    ['From', 'To'].map((end, hour) => add(`/agreed${end}`, `2030-03-${10 + at}T0${8 + hour}:00:00Z`))
  await Promise.all(
    rounds.flatMap((at) => [
      nurse.patch(pathOf(order), [add('/notes/-', { note: `${at}` })], 204),
      provider.patch(pathOf(line), agree(at), 204),
      remind(idOf(order), idOf(line))
    ])
  )
  t.same(await sequencesOf(idOf(order), idOf(line)), [complete(2 + 20), complete(2 + 20)])
})
