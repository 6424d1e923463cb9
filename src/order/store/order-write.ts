import { sql } from 'drizzle-orm'
import { type AuditRow, auditEvents } from '../../audit/tables.js'
import type { Database, Transaction } from '../../db/driver/database.js'
import { memberTypes, rowParameters } from '../../db/sql/row-arrays.js'
import { eventTypesOfMembers } from '../../ledger/insert.js'
import type { EventRow } from '../../ledger/tables.js'
import { devices } from '../device/tables.js'
import { changedDeviceTypes, type DeviceWrites, isUnchangedDevice } from '../device/writes.js'
import { type LineRow, type OrderRow, orderLines, type TraceRow, traceLines } from './tables.js'

/*
 * What a change of an order writes, for both ways to write it: by one statement
 * (`save-statement.ts`), and on a node of a distributed database (`save-on-node.ts`).
 */

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

/** The members of a line that a change may write. */
export const changeableLineMembers = Object.keys(memberTypes(orderLines)).filter(
  (member) => member !== 'id' && member !== 'orderId'
)

/** Rows that the statement takes as parameters. */
interface Fillable<R extends object> {
  fill(values: Record<string, unknown>, rows: readonly R[]): void
}
