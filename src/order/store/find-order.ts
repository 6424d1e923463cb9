import { and, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import type { Database } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { statement } from '../../db/sql/statement.js'
import type { AuditSubject } from '../../platform/auth/audit-context.js'
import { orderSubjects } from '../../platform/auth/audit-rule.js'
import type { Call } from '../../platform/auth/call.js'
import type { OrderRef } from './load-order.js'
import { orderLines } from './tables.js'
import { visibleTo } from './visibility.js'

const orderIn = (table: 'order_lines' | 'trace_lines') =>
  statement<{ id: string }, { order_id: string }>(
    sql`select order_id from ${sql.raw(table)} where id = ${sql.placeholder('id')}`
  )
const orderIdOf = { line: orderIn('order_lines'), trace: orderIn('trace_lines') }

/**
 * Finds the order of a line or of a trace line without an access check. A line never changes its
 * order, so the next statement uses the id of the order. For an absent line, this id belongs to no
 * order, so that an absent line and a line without access cause the same statements and the same
 * response time.
 */
export async function findOrderOf(by: 'line' | 'trace', db: Database, id: string): Promise<string> {
  const [found] = await orderIdOf[by](db, { id })
  return found?.order_id ?? NIL
}

/** Refers to the order of the first line. The other lines may be of another order. */
export const findOrderOfLines = async (db: Database, ids: readonly string[]): Promise<OrderRef> => ({
  id: await findOrderOf('line', db, ids[0] ?? NIL),
  lines: new Set(ids)
})

/**
 * Finds the orders of lines.
 * @param call if given, leaves out the orders that the caller does not see.
 */
export const findOrdersOfLines = (db: Database, lineIds: readonly string[], call?: Call) =>
  db
    .select({ line: orderLines.id, order: orderLines.orderId })
    .from(orderLines)
    .where(and(inIds(orderLines.id, lineIds), call && visibleTo(orderLines, call)))

/**
 * Finds the order of a line or of a trace line for the audit record of a rejected request. The
 * order's buyer can read this record. The view of the caller omits the order.
 */
export async function lookUpOrderForAudit(
  by: 'line' | 'trace',
  db: Database,
  id: string
): Promise<AuditSubject[]> {
  const [found] = await orderIdOf[by](db, { id })
  return orderSubjects(found?.order_id)
}
