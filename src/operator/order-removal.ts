import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/tables.js'
import type { Database, Queryable, Transaction } from '../db/driver/database.js'
import { unitOfWork } from '../db/unit-of-work.js'
import { permitRemoval } from './owner.js'
import type { Recorder } from './recorder.js'

/**
 * Splits orders: the number of orders that stay because of a device, and the ids of other orders.
 * @param keeps SQL condition: the device `d` keeps its order.
 */
export async function splitByKeptDevices(db: Queryable, ids: readonly string[], keeps: SQL) {
  if (ids.length === 0) return { staying: 0, expired: [] }
  const held = await db.execute<{ id: string }>(
    sql`select distinct d.order_id as id from devices d where d.order_id in ${ids} and ${keeps}`
  )
  const staying = new Set(held.map(({ id }) => id))
  return { staying: staying.size, expired: ids.filter((id) => !staying.has(id)) }
}

/**
 * Removes orders with all their data, in a transaction with their audit record.
 * @param keeps SQL condition: the device `d` keeps its order.
 * @returns the orders that were removed, and how many stay.
 */
export const removeOrders = (db: Database, recorder: Recorder, ids: readonly string[], keeps: SQL) =>
  unitOfWork({ db }, null, async ({ tx }) => {
    await permitRemoval(tx)
    const orders = await tx.execute<{ order: string; patient: string }>(
      sql`select o.id as order, o.patient from orders o where o.id in ${ids} order by o.id for update`
    )
    const locked = orders.map(({ order }) => order)
    // A change of another order can return a device to use. The lock makes this transaction wait
    // for that change, and then see it.
    await tx.execute(sql`select from devices where order_id in ${ids} order by line_id for update`)
    const divided = await splitByKeptDevices(tx, locked, keeps)
    const { expired } = divided
    if (expired.length > 0) {
      await removeRows(tx, expired)
      const subjects = orders.filter(({ order }) => expired.includes(order))
      const act = { operation: 'removeOldOrders', interaction: 'delete' } as const
      await insertAuditRows(tx, [recorder.rowOf(act, subjects)])
    }
    return divided
  })

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
