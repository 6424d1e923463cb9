import { and, eq, sql } from 'drizzle-orm'
import { insertAuditRows } from '../../audit/insert.js'
import type { Transaction } from '../../db/driver/database.js'
import { insertAll, insertRows } from '../../db/sql/insert-all.js'
import { assignmentList, rowArrays } from '../../db/sql/row-arrays.js'
import { insertEvents } from '../../ledger/insert.js'
import { devices } from '../device/tables.js'
import { changeableDeviceMembers, changedDeviceTypes, isUnchangedDevice } from '../device/writes.js'
import type { OrderWrite } from './save-statement.js'
import { orderLines, orders, traceLines } from './tables.js'
import { timeOfChange } from './time-of-change.js'

/**
 * Writes a changed order in a distributed database, by statements that name the order as `= $n`:
 * only the node that has it takes part. Citus sends what a part of one statement returns to every
 * node, so that none could be away.
 * @returns false when the order has changed or is locked, or the deadline has passed.
 */
export async function saveOnNode(tx: Transaction, write: OrderWrite): Promise<boolean> {
  const { id, ...order } = write.order
  const [locked] = await tx.execute<{ at: string }>(sql`
    select ${timeOfChange(sql`${order.changedAt.toISOString()}::timestamptz`)}::text as at from ${orders}
    where ${orders.id} = ${id} and ${orders.revision} = ${order.revision - 1} and ${orders.deletedAt} is null
      and clock_timestamp() < ${write.until.toISOString()}::timestamptz
    for no key update skip locked`)
  if (!locked || !(await holdDevices(tx, write))) return false
  await tx
    .update(orders)
    .set({ ...order, changedAt: sql`${locked.at}::timestamptz` })
    .where(eq(orders.id, id))
  await insertAll(tx, orderLines, write.newLines.map(withoutOrder), { orderId: id })
  for (const { id: lineId, orderId, ...line } of write.changedLines)
    await tx
      .update(orderLines)
      .set(line)
      .where(and(eq(orderLines.orderId, orderId), eq(orderLines.id, lineId)))
  await insertAll(tx, devices, write.newDevices)
  if (write.changedDevices.length > 0)
    await tx.execute(sql`
      update ${devices} set ${assignmentList(devices, changeableDeviceMembers)}
      from ${rowArrays(changedDeviceTypes, write.changedDevices)} where devices.line_id = r."lineId"`)
  // Also without rows: only `insert … select` makes Citus commit in two phases. In one, the node
  // would commit before the coordinator, which could still fail.
  await tx.execute(insertRows(traceLines, write.traces, { orderId: id }))
  await insertEvents(tx, write.events)
  await insertAuditRows(tx, [write.audit])
  return true
}

/** Locks the devices of a change on the coordinator, if they are as it expects them. */
async function holdDevices(tx: Transaction, { changedDevices }: OrderWrite): Promise<boolean> {
  if (changedDevices.length === 0) return true
  const held = await tx.execute(sql`
    select devices.line_id from ${rowArrays(changedDeviceTypes, changedDevices)}
    join ${devices} on ${isUnchangedDevice} for no key update of devices skip locked`)
  return held.length === changedDevices.length
}

const withoutOrder = <R extends { orderId: string }>({ orderId, ...row }: R): Omit<R, 'orderId'> => row
