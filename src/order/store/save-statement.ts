import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import { assignmentList, columnList, memberTypes, rowParameters, valueList } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { insertEventsFrom } from '../../ledger/insert.js'
import { devices } from '../device/tables.js'
import { changeableDeviceMembers } from '../device/writes.js'
import {
  changeableLineMembers,
  type Extent,
  heldDevices,
  type SaveOrders,
  valuesOfRows,
  writtenRows
} from './order-write.js'
import { orderLines, orders, traceLines } from './tables.js'
import { timeOfChange } from './time-of-change.js'

/**
 * Builds the statement that writes changed orders with their lines, trace lines, events and audit
 * records, each order all or nothing. Skips an order that another transaction has locked: waiting
 * would delay the others, and the deadline could pass meanwhile.
 */
export function saveStatement({ members, hasLines }: Extent): SaveOrders {
  const order = rowParameters<string>('order', {
    ...memberTypes(orders, ['id', ...members]),
    until: 'timestamptz',
    ...(hasLines && { deviceCount: 'integer' })
  })
  const changedLines = rowParameters('changedLines', memberTypes(orderLines))
  const { newLines, newDevices, changedDevices, traces, events, audit } = writtenRows

  const newValues = ['id', ...members].map((member) =>
    member === 'changedAt'
      ? sql`${timeOfChange(sql`r."changedAt"`)} as "changedAt"`
      : sql`r.${sql.identifier(member)}`
  )
  const holdsDevices = sql`and r."deviceCount" = (select count(*) from held where held."changedBy" = r.id)`
  /** The new values of orders that are as the change expects them. Locks these orders. */
  const locked = sql`
    select ${sql.join(newValues, sql`, `)} from ${order.from} join orders on orders.id = r.id
    where orders.revision = r.revision - 1 and orders.deleted_at is null and clock_timestamp() < r.until ${hasLines ? holdsDevices : sql``}
    for no key update of orders skip locked`
  /** The ids of the orders that are written. The rows of others are left out below. */
  const saved = sql`
    update ${orders} set ${assignmentList(orders, members)} from locked r where orders.id = r.id
    returning orders.id`
  const isSaved = sql`saved.id = r."orderId"`
  const insertInto = (
    table: typeof orderLines | typeof devices | typeof traceLines,
    { from }: { from: SQL }
  ) => sql`
    insert into ${table} (${columnList(table)}) select ${valueList(table)} from saved, ${from} where ${isSaved}`
  const lines = sql`, new_lines as (${insertInto(orderLines, newLines)}), changed_lines as (
    update ${orderLines} set ${assignmentList(orderLines, changeableLineMembers)} from saved, ${changedLines.from}
    where ${isSaved} and order_lines.order_id = r."orderId" and order_lines.id = r.id),
    new_devices as (${insertInto(devices, newDevices)}), changed_devices as (
    update ${devices} set ${assignmentList(devices, changeableDeviceMembers)} from saved, ${changedDevices.from}
    where saved.id = r."changedBy" and devices.line_id = r."lineId")`
  const save = statement<object, { id: string }>(sql`
    with ${hasLines ? sql`held as (${heldDevices}), ` : sql``}locked as (${locked}), saved as (${saved})${hasLines ? lines : sql``},
      traced as (${insertInto(traceLines, traces)}),
      recorded as (${insertEventsFrom(sql`saved, ${events.from}`, isSaved)}),
      audited as (${insertAuditRowsFrom(sql`saved, ${audit.from}`)} where ${isSaved})
    select id from saved`)
  return (db, writes) => {
    const values = valuesOfRows(writes)
    order.fill(
      values,
      writes.map(({ order, until, changedDevices: { length: deviceCount } }) => ({
        ...order,
        until,
        deviceCount
      }))
    )
    changedLines.fill(
      values,
      writes.flatMap((write) => write.changedLines)
    )
    return save(db, values)
  }
}
