import { type SQL, sql } from 'drizzle-orm'
import { singleRowQuery } from '../../db/batch/single-row.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { bySide, fromOrders, type Side, sideOf, visibleToSide } from './visibility.js'

/** The order, the organization that reads it, and the time. */
export interface OrderRead {
  id: SQL
  side: Side
  organization: SQL
  now: SQL
}

/** Columns of an order and its family, and the lateral joins that they need. */
export type OrderColumns = (read: OrderRead) => { columns: SQL; joins?: SQL }

/**
 * Prepares a query for columns of an order that the organization of the caller may see. `limit 1`
 * makes PostgreSQL use the index even while the tables are small.
 */
export function visibleOrderQuery<C extends Buffer[]>(ports: Ports, columns: OrderColumns) {
  const sides = bySide((side) =>
    singleRowQuery<C>(ports, {
      name: 'order-reads',
      types: ['uuid', 'text', 'timestamptz'],
      write: (id, organization, now) => visibleOrder(side, columns, { id, organization, now })
    })
  )
  return (call: Call, id: string) =>
    sides[sideOf(call)](id, call.caller.organization ?? '', ports.now().toISOString())
}

/** Writes the query of columns of an order that one side may see. */
export function visibleOrder(side: Side, columnsOf: OrderColumns, read: Omit<OrderRead, 'side'>): SQL {
  const { id, organization } = read
  const { columns, joins = sql`` } = columnsOf({ side, ...read })
  return sql`
  select ${columns} ${fromOrders} ${joins}
  where orders.id = ${id} and ${visibleToSide(side, organization)} limit 1`
}

/** SQL condition: `l` is a line of an order that was not deleted. */
export const linesOf = (id: SQL) => sql`l.order_id = ${id} and l.deleted_at is null`
