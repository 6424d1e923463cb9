import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import { type AuditRow, auditEvents } from '../../audit/tables.js'
import type { Database, Transaction } from '../../db/driver/database.js'
import { assignmentList, columnList, memberTypes, rowParameters, valueList } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { eventTypesOfMembers, insertEventsFrom } from '../../ledger/insert.js'
import type { EventRow } from '../../ledger/tables.js'
import { devices } from '../device/tables.js'
import {
  changeableDeviceMembers,
  changedDeviceTypes,
  type DeviceWrites,
  isUnchangedDevice
} from '../device/writes.js'
import { type LineRow, type OrderRow, orderLines, orders, type TraceRow, traceLines } from './tables.js'
import { timeOfChange } from './time-of-change.js'

/** Rows of one change, written together. */
export interface OrderWrite extends DeviceWrites {
  /** The address of the server that has the order. */
  node: string
  /** The order that the change was based on. */
  before: OrderRow
  /** The order with the next revision. */
  order: OrderRow
  newLines: readonly LineRow[]
  changedLines: readonly LineRow[]
  traces: readonly TraceRow[]
  /** Events of the order and its lines, in this order. */
  events: readonly EventRow[]
  audit: AuditRow
  /**
   * Deadline of the write, by the clock of the database: the statement may queue before it runs.
   */
  until: Date
}

/** What a statement writes besides the trace, the events and the audit record. */
export interface Extent {
  /** Members of the order, with its revision. */
  members: readonly (keyof OrderRow)[]
  hasLines: boolean
}

/** Writes orders, each at most once. Returns the ids of those that were written. */
export type SaveOrders<D = Database | Transaction> = (
  db: D,
  writes: readonly OrderWrite[]
) => Promise<readonly { id: string }[]>

const changedDevices = rowParameters('changedDevices', { ...changedDeviceTypes, changedBy: 'uuid' })

/** The rows of changes as parameters, besides those of orders and changed lines. */
export const writtenRows = {
  newLines: rowParameters('newLines', memberTypes(orderLines)),
  newDevices: rowParameters('newDevices', memberTypes(devices)),
  changedDevices,
  traces: rowParameters('traces', memberTypes(traceLines)),
  events: rowParameters('events', { ...eventTypesOfMembers, orderId: 'uuid' }),
  audit: rowParameters('audit', { ...memberTypes(auditEvents), orderId: 'uuid' })
}

/** The values of {@link writtenRows}. */
export function valuesOfRows(writes: readonly OrderWrite[]): Record<string, unknown> {
  const values = {}
  const fillEach = <R extends object>({ fill }: Fillable<R>, rowsOf: (write: OrderWrite) => readonly R[]) =>
    fill(values, writes.flatMap(rowsOf))
  fillEach(writtenRows.newLines, (write) => write.newLines)
  fillEach(writtenRows.newDevices, (write) => write.newDevices)
  fillEach(writtenRows.changedDevices, ({ changedDevices, order }) =>
    changedDevices.map((device) => ({ ...device, changedBy: order.id }))
  )
  fillEach(writtenRows.traces, (write) => write.traces)
  fillEach(writtenRows.events, ({ events, order }) =>
    events.map((event) => ({ ...event, orderId: order.id }))
  )
  fillEach(writtenRows.audit, ({ audit, order }) => [{ ...audit, orderId: order.id }])
  return values
}

/**
 * The devices that are as the changes of orders expect them, each with the order that changes it.
 * Locks these devices.
 */
export const heldDevices = sql`
  select r."changedBy" from ${changedDevices.from} join ${devices} on ${isUnchangedDevice}
  for no key update of devices skip locked`

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

/** Rows that the statement takes as parameters. */
interface Fillable<R extends object> {
  fill(values: Record<string, unknown>, rows: readonly R[]): void
}

/** The members of a line that a change may write. */
export const changeableLineMembers = Object.keys(memberTypes(orderLines)).filter(
  (member) => member !== 'id' && member !== 'orderId'
)
