import { and, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { bySide, ofOrganization, type Side, sideOf } from '../../agreement/side.js'
import { singleRowQuery } from '../../db/batch/single-row.js'
import type { Database } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { statement } from '../../db/sql/statement.js'
import type { AuditSubject } from '../../platform/auth/audit-context.js'
import { orderSubjects } from '../../platform/auth/audit-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { orderLines, orders } from './tables.js'

/** An order, and those of its lines whose delivered devices the caller reads or changes. */
export interface OrderRef {
  id: string
  lines?: ReadonlySet<string>
}

type Organization = string | SQL | Placeholder

/**
 * SQL condition: an organization sees orders, or lines, on one side. Buyers see their rows, sellers
 * see their rows after the submission, and no organization sees deleted rows.
 */
export const visibleToSide = (
  table: typeof orders | typeof orderLines,
  side: Side,
  organization: Organization
): SQL =>
  sql`(${ofOrganization(table, side, organization)} and ${table.deletedAt} is null${
    side === 'seller' ? sql` and ${table.submittedAt} is not null` : sql``
  })`

/** SQL condition like {@link visibleToSide}: the caller sees orders, or lines. */
export const visibleTo = (table: typeof orders | typeof orderLines, call: Call): SQL =>
  visibleToSide(table, sideOf(call), call.caller.organization ?? '')

/**
 * Prepares a query for columns of an order that the organization of the caller may see.
 * @param columnsFor writes the columns for a side and its organization.
 */
export function visibleOrderQuery<C extends Buffer[]>(columnsFor: (side: Side, organization: SQL) => SQL) {
  const sides = bySide((side) =>
    singleRowQuery<C>({
      name: 'order-reads',
      types: ['uuid', 'text'],
      write: (id, organization) => sql`
        select ${columnsFor(side, organization as SQL)} from orders
        where orders.id = ${id} and ${visibleToSide(orders, side, organization as SQL)}`
    })
  )
  return (db: Database, call: Call, id: string) =>
    sides[sideOf(call)](db, [id, call.caller.organization ?? ''])
}

const orderIdOf = {
  line: statement<{ id: string }, { order_id: string }>(
    sql`select order_id from order_lines where id = ${sql.placeholder('id')}`
  ),
  trace: statement<{ id: string }, { order_id: string }>(
    sql`select order_id from trace_lines where id = ${sql.placeholder('id')}`
  )
}

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
