import { eq, type SQL, sql } from 'drizzle-orm'
import { inForce } from '../../agreement/lookup.js'
import { contractBuyers, contracts, parties } from '../../agreement/tables.js'
import { inIds } from '../../db/sql/conditions.js'
import { type UnitOfWork, unitOfWork } from '../../db/unit-of-work.js'
import { insertEvents, newEvent } from '../../ledger/insert.js'
import type { Ports } from '../../ports.js'
import { waitsForOneOf } from '../attention.js'
import { orderLines, orders } from '../store/tables.js'
import { reminders } from './tables.js'

/** Maximum orders of one transaction, because a change of these orders waits for its end. */
const BATCH_ORDERS = 50

/**
 * Records an event for each order that is unanswered or late, and for each line whose agreed
 * delivery is near: once for each cause and due time, and once for each line and day. Any number of
 * instances may run it at the same time. Events missed while no instance ran are recorded later.
 * @param signal is aborted to end the run; the next run continues.
 */
export async function reportReminders(ports: Ports, signal?: AbortSignal): Promise<void> {
  const { organization } = parties
  for (const buyer of await ports.db.selectDistinct({ organization }).from(parties)) {
    if (signal?.aborted) return
    const due = dueReminders(ports, eq(orders.buyerOrganization, buyer.organization))
    const found = await ports.db.execute<{ id: string }>(sql`select distinct order_id as id from ${due}`)
    const ids = found.map(({ id }) => id)
    for (let at = 0; at < ids.length && !signal?.aborted; at += BATCH_ORDERS)
      await unitOfWork(ports, null, (work) => report(ports, work, ids.slice(at, at + BATCH_ORDERS)))
  }
}

/**
 * Reports the due reminders of orders. The next run processes orders that are being changed. The
 * reminders are read after the lock, so that a change since the search for orders counts. Only the
 * numbers of events of the order and its lines change.
 */
async function report(ports: Ports, { tx }: UnitOfWork<null>, found: readonly string[]): Promise<void> {
  const locked = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(inIds(orders.id, found))
    .for('no key update', { skipLocked: true })
  const ids = locked.map(({ id }) => id)
  const due = dueReminders(ports, inIds(orders.id, ids))
  const reported = await tx.execute<{ subject: string; kind: string }>(
    sql`insert into ${reminders} (subject_id, kind, due_at) select subject_id, kind, due_at from ${due}
      returning subject_id as subject, kind`
  )
  const subjects = reported.map(({ subject }) => subject)
  const added = sql`cardinality(array_positions(${sql.param(subjects)}::uuid[], ${orders.id}))`
  const overdue = await tx
    .update(orders)
    .set({ eventCount: sql`${orders.eventCount} + ${added}` })
    .where(inIds(orders.id, subjects))
    .returning({ id: orders.id, last: orders.eventCount })
  const near = await tx
    .update(orderLines)
    .set({ eventCount: sql`${orderLines.eventCount} + 1` })
    .where(inIds(orderLines.id, subjects))
    .returning({ id: orderLines.id, orderId: orderLines.orderId, sequence: orderLines.eventCount })
  const time = new Date()
  const event = { change: 'changed' } as const
  await insertEvents(tx, [
    ...overdue.flatMap(({ id, last }) => {
      const kinds = reported.filter(({ subject }) => subject === id).map(({ kind }) => kind)
      return kinds.map((kind, at) =>
        // An event without a status has the attention code instead of the new status.
        newEvent({}, time, {
          ...{ ...event, type: 'order.overdue', newStatus: kind, subjectId: id },
          sequence: last - kinds.length + at + 1
        })
      )
    }),
    ...near.map(({ id, orderId, sequence }) =>
      newEvent({}, time, {
        ...{ ...event, type: 'order-line.delivery-due', subjectId: id, ownerId: orderId },
        sequence
      })
    )
  ])
}

/**
 * SQL table `due`: the reminders that are due for open orders and were not reported, with
 * `order_id, subject_id, kind, due_at`. A delivery is near within the lowest `reminderDays` of the
 * contracts that are in force today, until the agreed time begins.
 * @param ofOrders SQL condition on `orders`.
 */
function dueReminders(ports: Pick<Ports, 'now' | 'today' | 'timeZone'>, ofOrders: SQL): SQL {
  const now = sql`${ports.now().toISOString()}::timestamptz`
  const today = ports.today()
  const overdue = (code: 'UNANSWERED' | 'LATE', dueAt: SQL) => sql`
    select orders.id as order_id, orders.id as subject_id, ${code}::text as kind, ${dueAt} as due_at
    from orders where ${ofOrders} and ${waitsForOneOf(sql`array[${code}]::text[]`, now)}`
  return sql`(
    select * from (
      ${overdue('UNANSWERED', sql`orders.answer_due_at`)}
      union all
      ${overdue('LATE', sql`orders.delivery_due_at`)}
      union all
      select orders.id, l.id, 'DELIVERY_DUE', agreed.day::timestamp at time zone ${ports.timeZone}
      from orders join order_lines l on l.order_id = orders.id
        cross join lateral (select (l.agreed_from at time zone ${ports.timeZone})::date as day) agreed
      where ${ofOrders} and orders.status in ('SUBMITTED', 'ACCEPTED')
        and l.status = 'SUBMITTED' and l.agreed_from >= ${now} and agreed.day - ${today}::date <= (
          select min(${contracts.reminderDays})
          from ${contracts} join ${contractBuyers} on ${contractBuyers.contractId} = ${contracts.id}
          where ${contracts.sellerId} = orders.seller_id and ${contractBuyers.buyerId} = orders.buyer_id
            and ${inForce(today)})
    ) found
    where not exists (
      select from reminders r
      where r.subject_id = found.subject_id and r.kind = found.kind and r.due_at = found.due_at)
  ) due`
}
