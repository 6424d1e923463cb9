import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/insert.js'
import type { Queryable, Transaction } from '../db/driver/database.js'
import type { CommandContext } from './command.js'
import { batchesOf, commitInTwoPhases, lockRemovals } from './order-batches.js'
import { permission } from './owner.js'
import type { Recorder } from './recorder.js'

/** Numbers of orders that are removed, and of those that stay. */
export type Counts = Record<'orders' | 'staying', number>

/**
 * Divides orders into those that stay because of a device, and the others.
 * @param holds SQL condition: the device `d` holds its order back.
 */
export async function divide(
  db: Queryable,
  ids: readonly string[],
  holds: SQL
): Promise<{ staying: number; expired: string[] }> {
  if (ids.length === 0) return { staying: 0, expired: [] }
  const held = await db.execute<{ id: string }>(
    sql`select distinct d.order_id as id from devices d where d.order_id in ${ids} and ${holds}`
  )
  const staying = new Set(held.map(({ id }) => id))
  return { staying: staying.size, expired: ids.filter((id) => !staying.has(id)) }
}

/**
 * Removes orders with all that belongs to them, each batch in a transaction with its audit record.
 * @param holds SQL condition: the device `d` holds its order back.
 * @param total counts them.
 */
export async function removeOrders(
  context: CommandContext,
  recorder: Recorder,
  ids: readonly string[],
  holds: SQL,
  total: Counts
): Promise<void> {
  for (const batch of batchesOf(context, ids)) {
    const removed = await context.db.transaction(async (tx) => {
      await lockRemovals(tx)
      // The permission holds on the node that evaluates it, which has the trace.
      const orders = await tx.execute<{ order: string; patient: string }>(sql`
        select o.id as order, o.patient, ${permission('remove orders')} from orders o
        where o.id in ${batch} order by o.id for update`)
      const locked = orders.map(({ order }) => order)
      const { staying, expired } = await divide(tx, locked, holds)
      if (expired.length > 0) {
        await removeRows(tx, expired)
        const subjects = orders.filter(({ order }) => expired.includes(order))
        const act = { operation: 'removeOldOrders', interaction: 'delete' } as const
        await insertAuditRows(tx, [recorder.rowOf(act, subjects)])
        await commitInTwoPhases(tx, context, expired)
      }
      return { staying, orders: expired.length }
    })
    total.staying += removed.staying
    total.orders += removed.orders
  }
}

async function removeRows(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.execute(sql`delete from devices where order_id in ${ids}`)
  await tx.execute(sql`delete from trace_lines where order_id in ${ids}`)
  const lines = await tx.execute<{ id: string }>(
    sql`delete from order_lines where order_id in ${ids} returning id`
  )
  await tx.execute(sql`delete from orders where id in ${ids}`)
  const subjects = [...ids, ...lines.map(({ id }) => id)]
  await tx.execute(sql`delete from reminders where subject_id in ${subjects}`)
}
