import { and, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertEvents, newEvent } from '../../ledger/insert.js'
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
    // A node of a distributed database has some of the orders.
    const size = ports.isDistributed ? 1 : BATCH_ORDERS
    const ids = [...new Set(due.map(({ orderId }) => orderId))]
    for (let at = 0; at < ids.length; at += size) {
      if (signal?.aborted) return
      const batch = new Set(ids.slice(at, at + size))
      await ports.db.transaction((tx) =>
        report(
          tx,
          due.filter(({ orderId }) => batch.has(orderId))
        )
      )
    }
  }
}

/** The orders of one transaction: a change of one of them waits for the others, too. */
const BATCH_ORDERS = 50

/** The identity of a reminder, by which it is reported once. */
const keyOf = ({ subjectId, kind, dueAt }: { subjectId: string; kind: string; dueAt: Date | string }) =>
  `${subjectId} ${kind} ${new Date(dueAt).toISOString()}`

/** Those that have not been reported, each once. */
async function unreported({ db }: Ports, due: readonly DueReminder[]): Promise<DueReminder[]> {
  if (due.length === 0) return []
  const ids = due.map(({ subjectId }) => subjectId)
  const rows = await db.select().from(reminders).where(inIds(reminders.subjectId, ids))
  const reported = new Set(rows.map(keyOf))
  return [...new Map(due.map((each) => [keyOf(each), each])).entries()]
    .filter(([key]) => !reported.has(key))
    .map(([, each]) => each)
}

/**
 * Reports reminders of orders. One that has changed since they were found, or is being changed, is
 * left to the next run, which finds what is still due. Plain statements on one order run on one
 * node of a distributed database.
 */
async function report(tx: Transaction, due: readonly DueReminder[]): Promise<void> {
  const locked = await tx
    .select({ id: orders.id, eventCount: orders.eventCount, revision: orders.revision })
    .from(orders)
    .where(ofOrders(orders.id, due))
    .for('no key update', { skipLocked: true })
  const revisions = new Map(locked.map(({ id, revision }) => [id, revision]))
  const fresh = await remember(
    tx,
    due.filter(({ orderId, revision }) => revisions.get(orderId) === revision)
  )
  if (fresh.length === 0) return
  const counts = new Map(locked.map(({ id, eventCount }) => [id, eventCount]))
  const lines = await tx
    .update(orderLines)
    .set({ eventCount: sql`${orderLines.eventCount} + 1` })
    .where(and(ofOrders(orderLines.orderId, fresh), inIds(orderLines.id, subjectsOf(fresh))))
    .returning({ id: orderLines.id, eventCount: orderLines.eventCount })
  for (const { id, eventCount } of lines) counts.set(id, eventCount - 1)
  const time = new Date()
  const events = fresh.map(({ subjectId, orderId, kind }) => {
    const isOfLine = kind === 'DELIVERY_DUE'
    const sequence = (counts.get(subjectId) ?? 0) + 1
    counts.set(subjectId, sequence)
    return newEvent({}, time, {
      type: isOfLine ? 'order-line.delivery-due' : 'order.overdue',
      change: 'changed',
      // The code of the attention: an event about no status has no other use for it.
      newStatus: isOfLine ? null : kind,
      subjectId,
      ownerId: orderId,
      sequence
    })
  })
  const added = sql`cardinality(array_positions(${sql.param(subjectsOf(fresh))}::uuid[], ${orders.id}))`
  await tx
    .update(orders)
    .set({ revision: sql`${orders.revision} + 1`, eventCount: sql`${orders.eventCount} + ${added}` })
    .where(ofOrders(orders.id, fresh))
  await insertEvents(tx, events)
}

const ofOrders = (column: PgColumn, due: readonly DueReminder[]) =>
  inIds(
    column,
    due.map(({ orderId }) => orderId)
  )

const subjectsOf = (due: readonly DueReminder[]) => due.map(({ subjectId }) => subjectId)

/** Remembers reminders, and returns those that were not remembered before. */
async function remember(tx: Transaction, due: readonly DueReminder[]): Promise<DueReminder[]> {
  if (due.length === 0) return []
  const rows = await tx
    .insert(reminders)
    .values(due.map(({ subjectId, kind, dueAt }) => ({ subjectId, kind, dueAt: new Date(dueAt) })))
    .onConflictDoNothing()
    .returning()
  const fresh = new Set(rows.map(keyOf))
  return due.filter((each) => fresh.has(keyOf(each)))
}
