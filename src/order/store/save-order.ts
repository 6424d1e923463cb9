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

/** A consistent snapshot of an order with its lines, and the names of its parties. */
export interface OrderSnapshot {
  order: OrderRow
  lines: LineRow[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  /** Time of reading, by the clock of the database. */
  readAt: Date
}

/** Rows of one change, written together. */
export interface OrderWrite {
  id: string
  /** The revision that the change was based on. */
  expectedRevision: number
  order: OrderRow
  newLines: readonly LineRow[]
  changedLines: readonly LineRow[]
  traces: readonly TraceRow[]
  audit: AuditRow
  /**
   * Deadline of the write, by the clock of the database: the statement may queue before it runs.
   */
  until: Date
}

/**
 * Writes a changed order, its lines, its trace and the audit record in one statement, all or
 * nothing. Writes only if the order still has the expected revision and the deadline has not
 * passed. Concurrent changes of different orders share the statement and its commit. Returns false
 * when the order has changed or is locked, or the deadline has passed.
 * @param begin called right before the statement is sent; if it throws, the order is not written.
 */
export const saveOrder = (ports: Ports, write: OrderWrite, begin = () => {}): Promise<boolean> =>
  orderSaver(ports)({ write, begin })

/** Maximum number of rows and notes that share a statement. */
const MAX_BATCH_ROWS = 1000

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 100

const orderSaver = memoizePerApp(({ db }: Ports) =>
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
    maxBatchWeight: MAX_BATCH_ROWS,
    maxWaitMs: MAX_WAIT_MS
  })
)

/**
 * Skips an order that another transaction has locked: waiting would delay the other orders of the
 * batch. Of two writes for the same order, `saved` has one.
 */
const save = statement<{ writes: string }, { number: number }>(sql`
  with locked as (
    select w.*
    from json_to_recordset(${sql.placeholder('writes')}::text::json) as w(number int, id uuid, "expectedRevision" int,
      "order" json, "newLines" json, "changedLines" json, traces json, audit json, until timestamptz)
    join orders on orders.id = w.id and orders.revision = w."expectedRevision" and orders.deleted_at is null
    where clock_timestamp() < w.until
    for no key update of orders skip locked
  ), saved as (
    update ${orders} set ${assignmentList(orders)}
    from locked, ${recordFrom(orders, sql`locked."order"`)}
    where orders.id = locked.id
    returning locked.*
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
