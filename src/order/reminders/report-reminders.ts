import { eq, sql } from 'drizzle-orm'
import { parties } from '../../agreement/tables.js'
import { inIds } from '../../db/sql/conditions.js'
import { type UnitOfWork, unitOfWork } from '../../db/unit-of-work.js'
import { insertEvents, newEvent } from '../../ledger/insert.js'
import type { Ports } from '../../ports.js'
import { orderLines, orders } from '../store/tables.js'
import { dueReminders } from './due-reminders.js'
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
