import { sql } from 'drizzle-orm'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import { type AuditRow, auditEvents } from '../../audit/tables.js'
import { createBatcher } from '../../db/batch/batcher.js'
import { runBatch } from '../../db/batch/run-batch.js'
import { assignmentList, columnList, recordFrom, recordsetFrom, valueList } from '../../db/sql/recordset.js'
import { statement } from '../../db/sql/statement.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
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
  id: string
  /** The revision that the change was decided on. */
  basis: number
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
 * the revision that the change was decided on, and in time. Orders that are changed at the same time share that statement and its
 * commit. False when somebody was faster, or is changing the order just now, or the time is over.
 * @param begin called right before the statement is sent; when it throws, the order is not written.
 */
export const saveOrder = (ports: Ports, write: OrderWrite, begin = () => {}): Promise<boolean> =>
  saving(ports)({ write, begin })

const saving = memoizePerApp(({ db }: Ports) =>
  createBatcher<{ write: OrderWrite; begin: () => void }, boolean>({
    beforeExecute: ({ begin }) => begin(),
    async execute(entries) {
      const saved = await runBatch(
        entries.map(({ write }) => write),
        (json) => save(db, { writes: json }),
        ({ number }) => number
      )
      return saved.map((row) => row !== undefined)
    },
    weight: ({ write: { order, newLines, changedLines, traces } }) =>
      1 + order.notes.length + newLines.length + changedLines.length + traces.length,
    maxBatchWeight: 1000,
    maxWaitMs: 100
  })
)

/**
 * An order that somebody else holds is left out instead of waited for, since the changes of other orders would wait with it. Of two
 * writes for the same order `saved` has one.
 */
const save = statement<{ writes: string }, { number: number }>(sql`
  with held as (
    select w.*
    from json_to_recordset(${sql.placeholder('writes')}::text::json) as w(number int, id uuid, basis int, "order" json,
      "newLines" json, "changedLines" json, traces json, audit json, until timestamptz)
    join orders on orders.id = w.id and orders.revision = w.basis and orders.deleted_at is null
    where clock_timestamp() < w.until
    for no key update of orders skip locked
  ), saved as (
    update ${orders} set ${assignmentList(orders)}
    from held, ${recordFrom(orders, sql`held."order"`)}
    where orders.id = held.id
    returning held.*
  ), new_lines as (
    insert into ${orderLines} (${columnList(orderLines)})
    select ${valueList(orderLines)} from saved, ${recordsetFrom(orderLines, sql`saved."newLines"`)}
  ), changed_lines as (
    update ${orderLines} set ${assignmentList(orderLines)}
    from saved, ${recordsetFrom(orderLines, sql`saved."changedLines"`)}
    where order_lines.id = r.id and order_lines.order_id = saved.id
  ), traced as (
    insert into ${traceLines} (${columnList(traceLines)})
    select ${valueList(traceLines)} from saved, ${recordsetFrom(traceLines, sql`saved.traces`)}
  ), audited as (${insertAuditRowsFrom(sql`saved, ${recordFrom(auditEvents, sql`saved.audit`)}`)})
  select number from saved`)
