import { type SQL, sql } from 'drizzle-orm'

/** The sort orders of the list of orders. Orders with equal values are sorted by their id. */
export const orderSorts = ['-created', '-submitted', '-updated', 'priority', 'due'] as const
export type OrderSort = (typeof orderSorts)[number]

/**
 * The position of an order in the list: its id and, unless the id sorts the list, its sort value.
 */
export interface OrderPosition {
  id: string
  value?: string | undefined
}

/** The value that sorts a list before the id, which sorts by the time of creation. */
const values: Readonly<Record<OrderSort, { column: SQL; type: SQL } | undefined>> = {
  '-created': undefined,
  '-submitted': { column: sql`coalesce(orders.submitted_at, '-infinity')`, type: sql`timestamptz` },
  '-updated': { column: sql`orders.changed_at`, type: sql`timestamptz` },
  priority: { column: sql`orders.priority`, type: sql`boolean` },
  due: { column: sql`coalesce(orders.due_at, 'infinity')`, type: sql`timestamptz` }
}

/** The sort value of an order as text, or null. */
export const sortValue = (sort: OrderSort): SQL =>
  values[sort] ? sql`(${values[sort].column})::text` : sql`null`

/** All sorts except `due` are descending. */
export function orderBy(sort: OrderSort): SQL {
  const value = values[sort]
  if (!value) return sql`orders.id desc`
  return sort === 'due' ? sql`${value.column}, orders.id` : sql`${value.column} desc, orders.id desc`
}

export function isAfterPosition(sort: OrderSort, { id, value: text }: OrderPosition): SQL {
  const value = values[sort]
  if (!value) return sql`orders.id < ${id}::uuid`
  // The cast to text keeps the driver from converting the parameter.
  const position = sql`(${text}::text::${value.type}, ${id}::uuid)`
  return sql`(${value.column}, orders.id) ${sql.raw(sort === 'due' ? '>' : '<')} ${position}`
}
