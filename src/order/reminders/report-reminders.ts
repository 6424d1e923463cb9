import { eq, sql } from 'drizzle-orm'
import { parties } from '../../agreement/tables.js'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertEvents, newEvent } from '../../ledger/insert.js'
import type { EventRow } from '../../ledger/tables.js'
import type { Ports } from '../../ports.js'
import { orderLines, orders } from '../store/tables.js'
import { type DueReminder, findDueReminders } from './due-reminders.js'
import { reminders } from './tables.js'

/**
 * Records an event for each order that is unanswered or late, and for each line whose agreed
 * delivery is near: once for each cause and due time, and once for each line and day. Any number of
 * instances may run it at the same time. What was missed while none ran is recorded later.
 * @param signal aborted to leave the rest to the next run.
 */
export async function reportReminders(ports: Ports, signal?: AbortSignal): Promise<void> {
  const buyers = await ports.db.select({ id: parties.id }).from(parties).orderBy(parties.id)
  for (const { id } of buyers) {
    if (signal?.aborted) return
    const due = await unreported(ports, await findDueReminders(ports, id))
    for (const orderId of new Set(due.map((each) => each.orderId))) {
      if (signal?.aborted) return
      const ofOrder = due.filter((each) => each.orderId === orderId)
      await ports.db.transaction((tx) => report(tx, orderId, ofOrder))
    }
  }
}

/** The identity of a reminder, by which it is reported once. */
const keyOf = ({ subjectId, kind, dueAt }: Omit<DueReminder, 'orderId' | 'revision'>) =>
  `${subjectId} ${kind} ${new Date(dueAt).toISOString()}`

/** Those that have not been reported, each once. */
async function unreported({ db }: Ports, due: readonly DueReminder[]): Promise<DueReminder[]> {
  if (due.length === 0) return []
  const ids = due.map(({ subjectId }) => subjectId)
  const rows = await db.select().from(reminders).where(inIds(reminders.subjectId, ids))
  const reported = new Set(rows.map((row) => keyOf({ ...row, dueAt: row.dueAt.toISOString() })))
  return [...new Map(due.map((each) => [keyOf(each), each])).entries()]
    .filter(([key]) => !reported.has(key))
    .map(([, each]) => each)
}

/**
 * Reports reminders of one order, unless the order has changed since they were found: then the next
 * run finds what is still due. Plain statements on one order run on one node of a distributed
 * database.
 */
async function report(tx: Transaction, orderId: string, due: readonly DueReminder[]): Promise<void> {
  const [order] = await tx
    .select({ eventCount: orders.eventCount, revision: orders.revision })
    .from(orders)
    .where(eq(orders.id, orderId))
    .for('no key update')
  if (!order || due.some(({ revision }) => revision !== order.revision)) return
  const fresh = await tx
    .insert(reminders)
    .values(due.map(({ subjectId, kind, dueAt }) => ({ subjectId, kind, dueAt: new Date(dueAt) })))
    .onConflictDoNothing()
    .returning()
  if (fresh.length === 0) return
  let { eventCount } = order
  const time = new Date()
  const events: EventRow[] = []
  for (const { subjectId, kind } of fresh) {
    const isOfLine = kind === 'DELIVERY_DUE'
    const sequence = isOfLine ? await countLineEvent(tx, orderId, subjectId) : ++eventCount
    events.push(
      newEvent({}, time, {
        type: isOfLine ? 'order-line.delivery-due' : 'order.overdue',
        change: 'changed',
        // The code of the attention: an event about no status has no other use for it.
        newStatus: isOfLine ? null : kind,
        subjectId,
        ownerId: orderId,
        sequence
      })
    )
  }
  await tx
    .update(orders)
    .set({ revision: order.revision + 1, eventCount })
    .where(eq(orders.id, orderId))
  await insertEvents(tx, events)
}

async function countLineEvent(tx: Transaction, orderId: string, id: string): Promise<number> {
  const [line] = await tx
    .update(orderLines)
    .set({ eventCount: sql`${orderLines.eventCount} + 1` })
    .where(sql`${orderLines.orderId} = ${orderId} and ${orderLines.id} = ${id}`)
    .returning({ sequence: orderLines.eventCount })
  return line?.sequence ?? 0
}
