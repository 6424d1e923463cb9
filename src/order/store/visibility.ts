import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { bySide, ofOrganization, type Side, sideOf } from '../../agreement/side.js'
import { singleRowQuery } from '../../db/batch/single-row.js'
import type { Database } from '../../db/driver/database.js'
import type { Call } from '../../platform/auth/call.js'
import { type orderLines, orders } from './tables.js'

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
