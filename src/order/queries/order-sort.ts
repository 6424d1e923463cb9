import { type Placeholder, type SQL, sql } from 'drizzle-orm'

/** Orders of the list of orders. All are descending. Orders that are equal sort by their id. */
export const orderSorts = ['-created', '-submitted', '-updated', 'priority'] as const
export type OrderSort = (typeof orderSorts)[number]

/** The position of an order in the list: its id and, unless that sorts the list, its sort value. */
export interface OrderPosition {
  id: string
  value?: string | undefined
}

/** What a list is sorted by before the id, which sorts by the time of creation. */
const values: Readonly<Record<OrderSort, { column: SQL; type: SQL } | undefined>> = {
  '-created': undefined,
  '-submitted': {
    column: sql`coalesce(orders.submitted_at, '-infinity')`,
    type: sql`timestamptz`
  },
  '-updated': { column: sql`orders.changed_at`, type: sql`timestamptz` },
  priority: { column: sql`orders.priority`, type: sql`boolean` }
}

/** The column that the list is sorted by, or null. */
export const sortValue = (sort: OrderSort): SQL => values[sort]?.column ?? sql`null`

export const orderBy = (sort: OrderSort): SQL => {
  const value = values[sort]
  return value ? sql`${value.column} desc, orders.id desc` : sql`orders.id desc`
}

/** SQL condition: the order comes after a position. */
export function isAfter(sort: OrderSort, id: Placeholder, position: Placeholder | undefined): SQL {
  const value = values[sort]
  return value
    ? sql`(${value.column}, orders.id) < (${position}::${value.type}, ${id}::uuid)`
    : sql`orders.id < ${id}::uuid`
}
