import { sql } from 'drizzle-orm'
import { insertionOf } from '../audit/insert.js'
import type { AuditRow } from '../audit/tables.js'
import type { Database } from '../db/connection.js'
import { assignmentsOf, columnsOf, recordset, valuesOf } from '../db/recordset.js'
import { statement } from '../db/statement.js'
import { orderLines, orders, traceLines } from './tables.js'

export type OrderRow = typeof orders.$inferSelect
export type LineRow = typeof orderLines.$inferSelect
export type TraceRow = typeof traceLines.$inferSelect

/** An order with its lines, as they were together at one moment, and what its two parties are called. */
export interface OrderSnapshot {
  order: OrderRow
  lines: LineRow[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  /** When it was read, by the clock of the database. */
  readAt: Date
}

/** Rows to be written together. */
export interface OrderWrite {
  order: OrderRow
  newLines: readonly LineRow[]
  changedLines: readonly LineRow[]
  traces: readonly TraceRow[]
  audit: AuditRow
  /** When it is too late to write, by the clock of the database: the statement may wait for others before it runs. */
  until: Date
}

/**
 * Writes a changed order, its lines, its trace and the audit record in one statement, so all of it or nothing; and only if the order is still at
 * the revision that the change was decided on, and in time. False when somebody was faster, or the time is over.
 */
export async function saveOrder(
  db: Database,
  { order, newLines, changedLines, traces, audit, until }: OrderWrite
): Promise<boolean> {
  const saved = await save(db, {
    order: JSON.stringify([order]),
    newLines: JSON.stringify(newLines),
    changedLines: JSON.stringify(changedLines),
    traces: JSON.stringify(traces),
    audit: JSON.stringify([audit]),
    until: until.toISOString()
  })
  return saved.length > 0
}

const save = statement<Record<keyof OrderWrite, string>, { id: string }>(sql`
  with saved as (
    update ${orders} set ${assignmentsOf(orders)}
    from ${recordset(orders, sql.placeholder('order'))}
    where orders.id = r.id and orders.revision = r.revision - 1 and orders.deleted_at is null
      and clock_timestamp() < ${sql.placeholder('until')}::timestamptz
    returning orders.id
  ), new_lines as (
    insert into ${orderLines} (${columnsOf(orderLines)})
    select ${valuesOf(orderLines)} from ${recordset(orderLines, sql.placeholder('newLines'))}, saved
  ), changed_lines as (
    update ${orderLines} set ${assignmentsOf(orderLines)}
    from ${recordset(orderLines, sql.placeholder('changedLines'))}, saved
    where order_lines.id = r.id and order_lines.order_id = saved.id
  ), traced as (
    insert into ${traceLines} (${columnsOf(traceLines)})
    select ${valuesOf(traceLines)} from ${recordset(traceLines, sql.placeholder('traces'))}, saved
  ), audited as (${insertionOf(sql.placeholder('audit'), sql`, saved`)})
  select id from saved`)
