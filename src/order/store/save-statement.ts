import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import { type AuditRow, auditEvents } from '../../audit/tables.js'
import type { Database } from '../../db/driver/database.js'
import { assignmentList, columnList, valueList } from '../../db/sql/recordset.js'
import { rowArrays } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { type LineRow, type OrderRow, orderLines, orders, type TraceRow, traceLines } from './tables.js'

/** Rows of one change, written together. */
export interface OrderWrite {
  /** The order that the change was based on. */
  before: OrderRow
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

/** What a statement writes besides the trace and the audit record. */
export interface Extent {
  /** Members of the order. */
  members: readonly (keyof OrderRow)[]
  hasLines: boolean
}

/** Writes orders, each at most once. Returns the ids of those that were written. */
type SaveStatement = (db: Database, writes: readonly OrderWrite[]) => Promise<readonly { id: string }[]>

/**
 * Builds the statement that writes changed orders with their lines, trace lines and audit records,
 * each order all or nothing. The single form writes one order, whose id is a parameter beside the
 * key of every table; the batched form writes several. Skips an order that another transaction has
 * locked: waiting would delay the others, and the deadline could pass meanwhile.
 */
export function saveStatement({ members, hasLines }: Extent, isBatched: boolean): SaveStatement {
  const rows = {
    guard: rowArrays<typeof orders, { until: Date }>(orders, 'guard', ['id', 'revision'], {
      until: 'timestamptz'
    }),
    order: rowArrays(orders, 'order', ['id', ...members]),
    newLines: rowArrays(orderLines, 'newLines'),
    changedLines: rowArrays(orderLines, 'changedLines'),
    traces: rowArrays(traceLines, 'traces'),
    audit: rowArrays<typeof auditEvents, { orderId: string }>(auditEvents, 'audit', undefined, {
      orderId: 'uuid'
    })
  }
  /** The id of an order: a member of the rows, or the parameter. */
  const id = (batched: SQL) => (isBatched ? batched : sql`${sql.placeholder('id')}::uuid`)
  const orderId = id(sql`r."orderId"`)
  const isSaved = sql`saved.id = ${orderId}`
  const insertInto = (table: typeof orderLines | typeof traceLines, from: SQL) => sql`
    insert into ${table} (${columnList(table)})
    select ${valueList(table, { orderId })} from saved, ${from} where ${isSaved}`
  const lines = sql`, new_lines as (${insertInto(orderLines, rows.newLines.from)}), changed_lines as (
    update ${orderLines} set ${assignmentList(orderLines, changeableLineMembers)} from saved, ${rows.changedLines.from}
    where ${isSaved} and order_lines.order_id = ${orderId} and order_lines.id = r.id)`
  // Citus fails on an insert after a CTE that joins a locked table with a function.
  const one = (member: string, type: string) =>
    sql`(${sql.placeholder(`guard.${member}`)}::${sql.raw(type)}[])[1]`
  const guard = isBatched
    ? {
        from: sql`${rows.guard.from} join orders on orders.id = r.id`,
        revision: sql`r.revision`,
        until: sql`r.until`
      }
    : { from: sql`orders`, revision: one('revision', 'int'), until: one('until', 'timestamptz') }
  const save = statement<Record<string, string>, { id: string }>(sql`
    with locked as (
      select orders.id from ${guard.from}
      where orders.id = ${id(sql`r.id`)} and orders.revision = ${guard.revision}
        and orders.deleted_at is null and clock_timestamp() < ${guard.until}
      for no key update of orders skip locked
    ), saved as (
      update ${orders} set ${assignmentList(orders, members)} from locked, ${rows.order.from}
      where orders.id = ${id(sql`locked.id`)} and locked.id = r.id returning orders.id
    )${hasLines ? lines : sql``}, traced as (${insertInto(traceLines, rows.traces.from)}
    ), audited as (${insertAuditRowsFrom(sql`saved, ${rows.audit.from}`)} where ${isSaved})
    select id from saved`)
  return (db, writes) => {
    const ofAll = <T>(rowsOf: (write: OrderWrite) => T | readonly T[]): T[] => writes.flatMap(rowsOf)
    const ids = ofAll(({ order }) => ({ orderId: order.id }))
    const values: Record<string, string> = isBatched ? {} : { id: ids[0]?.orderId ?? '' }
    rows.guard.fill(
      values,
      ofAll(({ before }) => before),
      ofAll(({ until }) => ({ until }))
    )
    rows.order.fill(
      values,
      ofAll(({ order }) => order)
    )
    if (hasLines)
      rows.newLines.fill(
        values,
        ofAll(({ newLines }) => newLines)
      )
    if (hasLines)
      rows.changedLines.fill(
        values,
        ofAll(({ changedLines }) => changedLines)
      )
    rows.traces.fill(
      values,
      ofAll(({ traces }) => traces)
    )
    rows.audit.fill(
      values,
      ofAll(({ audit }) => audit),
      ids
    )
    return save(db, values)
  }
}

const changeableLineMembers = (Object.keys(getTableColumns(orderLines)) as (keyof LineRow)[]).filter(
  (member) => member !== 'id' && member !== 'orderId'
)
