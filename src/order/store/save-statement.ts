import { sql } from 'drizzle-orm'
import { type AuditRow, auditEvents, insertAuditRowsFrom } from '../../audit/tables.js'
import type { Database, Transaction } from '../../db/driver/database.js'
import {
  assignmentList,
  columnList,
  memberSqlTypes,
  rowParameters,
  valueList
} from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { changeableDeviceMembers, changedDeviceTypes, type DeviceWrites } from '../../device/store.js'
import { devices } from '../../device/tables.js'
import { eventTypesOfMembers, insertEventsFrom } from '../../ledger/insert.js'
import type { EventRow } from '../../ledger/tables.js'
import { type LineRow, type OrderRow, orderLines, orders, type TraceRow, traceLines } from './tables.js'

/** Rows of one change, written together. */
export interface OrderWrite extends DeviceWrites {
  /** The order with its next revision, which is 1 for a new order. */
  order: OrderRow
  newLines: readonly LineRow[]
  changedLines: readonly LineRow[]
  traces: readonly TraceRow[]
  /**
   * Events of the order and of its new and changed lines, in this order. Their `sequence` begins
   * with 1 for each subject; the statement adds the number of its earlier events.
   */
  events: readonly EventRow[]
  audit: AuditRow
  /** Deadline of a change of a stored order, by the clock of the database. */
  until: Date
}

const lineTypes = { ...memberSqlTypes(orderLines), newEvents: 'integer' }
const changes = rowParameters('changes', {
  ...memberSqlTypes(orders),
  newEvents: 'integer',
  until: 'timestamptz',
  deviceCount: 'integer'
})
const newLines = rowParameters('newLines', lineTypes)
const changedLines = rowParameters('changedLines', lineTypes)
const newDevices = rowParameters('newDevices', memberSqlTypes(devices))
const changedDevices = rowParameters('changedDevices', { ...changedDeviceTypes, changedBy: 'uuid' })
const traces = rowParameters('traces', memberSqlTypes(traceLines))
const events = rowParameters('events', eventTypesOfMembers)
const audit = rowParameters('audit', { ...memberSqlTypes(auditEvents), orderId: 'uuid' })

const without = (members: object, ...left: string[]) =>
  Object.keys(members).filter((member) => !left.includes(member))
const newOrderMembers = without(memberSqlTypes(orders), 'number')
const orderMembers = without(memberSqlTypes(orders), 'id', 'number', 'createdAt', 'changedAt')
const lineMembers = without(memberSqlTypes(orderLines), 'id', 'orderId', 'createdAt')

/** Polls rely on this clock: no transaction has a change from before its own beginning. */
const changedAt = sql`greatest(r."changedAt", clock_timestamp())`

/*
 * Each row set is one array for each column. The statement skips a locked order or device: a wait
 * would delay the other changes. Rows of an order that is not saved find no row in "saved". Orders,
 * lines and devices are found in their primary keys. A save of a status takes 1.15 ms, which the
 * saves of a batch share.
 */
const saveStatement = statement<object, { id: string }>(sql`
  with changes as (select * from ${changes.from}),
  locked_devices as (
    select r."changedBy" as order_id from ${changedDevices.from}
    join devices on devices.line_id = r."lineId" and devices.xmin::text = r.version
    for no key update of devices skip locked),
  locked as (
    select r.* from changes r join orders on orders.id = r.id
    where orders.revision = r.revision - 1 and orders.deleted_at is null and clock_timestamp() < r.until
      and r."deviceCount" = (select count(*) from locked_devices where order_id = r.id)
    for no key update of orders skip locked),
  updated as (
    update orders set ${assignmentList(orders, orderMembers)}, changed_at = ${changedAt},
      event_count = orders.event_count + r."newEvents"
    from locked r where orders.id = r.id returning orders.id, orders.event_count - r."newEvents" as events_before),
  created as (
    insert into orders (${columnList(orders, newOrderMembers)}, event_count)
    select ${valueList(orders, { changedAt }, newOrderMembers)}, r."newEvents" from changes r where r.revision = 1
    returning id, 0 as events_before),
  saved as (select * from updated union all select * from created),
  new_lines as (
    insert into order_lines (${columnList(orderLines)}, event_count)
    select ${valueList(orderLines)}, r."newEvents" from saved join ${newLines.from} on saved.id = r."orderId"
    returning id, 0 as events_before),
  changed_lines as (
    update order_lines set ${assignmentList(orderLines, lineMembers)},
      event_count = order_lines.event_count + r."newEvents"
    from saved join ${changedLines.from} on saved.id = r."orderId"
    where order_lines.order_id = r."orderId" and order_lines.id = r.id
    returning order_lines.id, order_lines.event_count - r."newEvents" as events_before),
  new_devices as (
    insert into devices (${columnList(devices)})
    select ${valueList(devices)} from saved join ${newDevices.from} on saved.id = r."orderId"),
  changed_devices as (
    update devices set ${assignmentList(devices, changeableDeviceMembers)}
    from saved join ${changedDevices.from} on saved.id = r."changedBy" where devices.line_id = r."lineId"),
  traced as (
    insert into trace_lines (${columnList(traceLines)})
    select ${valueList(traceLines)} from saved join ${traces.from} on saved.id = r."orderId"),
  subjects as (
    select * from saved union all select * from new_lines union all select * from changed_lines),
  recorded as (${insertEventsFrom(
    sql`subjects join ${events.from} on subjects.id = r."subjectId"`,
    sql`subjects.events_before + r."sequence"`
  )}),
  audited as (${insertAuditRowsFrom(sql`saved join ${audit.from} on saved.id = r."orderId"`)})
  select id from saved`)

/** Writes the rows of changes of different orders, and returns the ids of the saved orders. */
export function writeOrders(db: Database | Transaction, writes: readonly OrderWrite[]) {
  const values: Record<string, unknown> = {}
  changes.fill(
    values,
    writes.map(({ order, until, changedDevices, events }) => ({
      ...counted(order, events),
      until,
      deviceCount: changedDevices.length
    }))
  )
  const fill = <R extends object>(
    rows: { fill(values: Record<string, unknown>, rows: readonly R[]): void },
    rowsOf: (write: OrderWrite) => readonly R[]
  ) => rows.fill(values, writes.flatMap(rowsOf))
  fill(newLines, ({ newLines, events }) => newLines.map((line) => counted(line, events)))
  fill(changedLines, ({ changedLines, events }) => changedLines.map((line) => counted(line, events)))
  fill(newDevices, (write) => write.newDevices)
  fill(changedDevices, ({ changedDevices, order: { id } }) =>
    changedDevices.map((device) => ({ ...device, changedBy: id }))
  )
  fill(traces, (write) => write.traces)
  fill(events, (write) => write.events)
  fill(audit, ({ audit, order: { id } }) => [{ ...audit, orderId: id }])
  return saveStatement(db, values)
}

/** A row with its number of new events. */
const counted = <R extends { id: string }>(row: R, events: readonly EventRow[]) => ({
  ...row,
  newEvents: events.filter(({ subjectId }) => subjectId === row.id).length
})
