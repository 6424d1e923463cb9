import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import type { Database } from '../../db/driver/database.js'
import { statement } from '../../db/sql/statement.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { AuditSubject } from '../../platform/auth/audit-context.js'
import { orderNamed } from '../../platform/auth/audit-rule.js'
import { orders } from './tables.js'

/** Names an order by its own id, or by that of one of its lines or of an entry of its trace. */
export interface OrderRef {
  by: 'order' | 'line' | 'trace'
  id: string
}

export const orderById = (id: string): OrderRef => ({ by: 'order', id })
export const orderOfLine = (id: string): OrderRef => ({ by: 'line', id })
export const orderOfTrace = (id: string): OrderRef => ({ by: 'trace', id })

export const buyers = alias(parties, 'buyer')
export const sellers = alias(parties, 'seller')

/**
 * The condition that an order, joined with its {@link buyers} and {@link sellers}, is there for the caller: a buyer sees its
 * own, a seller its own once they were submitted, nobody sees a deleted one.
 */
export const orderVisibleTo = (actor: Actor): SQL | undefined =>
  visibleToSide(sideOf(actor), actor.organization ?? '')

export type Side = 'buyer' | 'seller'

/** The side of an order that a caller is on. */
export const sideOf = ({ scope }: Actor): Side => (scope === 'own-buyer' ? 'buyer' : 'seller')

/** The same for an organization of that side. */
export const visibleToSide = (side: Side, organization: string | SQL | Placeholder): SQL | undefined =>
  and(
    isNull(orders.deletedAt),
    side === 'buyer'
      ? eq(buyers.organization, organization)
      : and(eq(sellers.organization, organization), isNotNull(orders.submittedAt))
  )

/** Orders with their {@link buyers} and {@link sellers}. */
export const fromOrders = sql`
  from orders
  join parties buyer on buyer.id = orders.buyer_id
  join parties seller on seller.id = orders.seller_id`

/** The condition that an order has a name. */
export const named = (id: SQL | Placeholder): Readonly<Record<OrderRef['by'], SQL>> => ({
  order: sql`orders.id = ${id}`,
  line: sql`orders.id = (select order_id from order_lines where id = ${id})`,
  trace: sql`orders.id = (select order_id from trace_lines where id = ${id})`
})

const idBy = (by: OrderRef['by']) =>
  statement<{ id: string }, { id: string }>(
    sql`select id from orders where ${named(sql.placeholder('id'))[by]}`
  )
const idOf = { order: idBy('order'), line: idBy('line'), trace: idBy('trace') }

/**
 * The order with a name, for the audit record of a request that found nothing: its buyer learns of the request. The caller must
 * not learn which order it is, so the record is shown to it without the order.
 */
export async function lookUpOrder(db: Database, { by, id }: OrderRef): Promise<AuditSubject[]> {
  const [order] = await idOf[by](db, { id })
  return orderNamed(order?.id)
}
