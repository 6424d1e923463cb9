import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import type { Database } from '../../db/driver/database.js'
import { statement } from '../../db/sql/statement.js'
import type { AuditSubject } from '../../platform/auth/audit-context.js'
import { orderSubjects } from '../../platform/auth/audit-rule.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { orders } from './tables.js'

/** Refers to an order by its id, or by the id of one of its lines or trace lines. */
export interface OrderRef {
  by: 'order' | 'line' | 'trace'
  id: string
}

export const orderById = (id: string): OrderRef => ({ by: 'order', id })
export const orderOfLine = (id: string): OrderRef => ({ by: 'line', id })
export const orderOfTrace = (id: string): OrderRef => ({ by: 'trace', id })

export const buyerParties = alias(parties, 'buyer')
export const sellerParties = alias(parties, 'seller')

/**
 * SQL condition: the caller may see the order. Needs joins with {@link buyerParties} and
 * {@link sellerParties}. Buyers see their own orders, sellers see their own from
 * submission on, nobody sees a deleted one.
 */
export const orderVisibleTo = (call: Call): SQL | undefined =>
  visibleToSide(sideOf(call), call.caller.organization ?? '')

export type Side = 'buyer' | 'seller'

/** The side of an order that the caller acts for. */
export const sideOf = ({ scope }: Call): Side => (scope === 'own-buyer' ? 'buyer' : 'seller')

/** Makes something for each side. */
export const bySide = <T>(of: (side: Side) => T): Record<Side, T> => ({
  buyer: of('buyer'),
  seller: of('seller')
})

/** SQL condition like {@link orderVisibleTo}, for an organization on one side of the order. */
export const visibleToSide = (side: Side, organization: string | SQL | Placeholder): SQL | undefined =>
  and(isShownTo(side), eq(partiesOf[side].organization, organization))

const partiesOf = { buyer: buyerParties, seller: sellerParties }

/** SQL condition: one side sees the order, whichever party stands there. */
const isShownTo = (side: Side): SQL | undefined =>
  and(isNull(orders.deletedAt), side === 'seller' ? isNotNull(orders.submittedAt) : undefined)

/** SQL from clause: orders joined with their {@link buyerParties} and {@link sellerParties}. */
export const fromOrders = sql`
  from orders
  join parties buyer on buyer.id = orders.buyer_id
  join parties seller on seller.id = orders.seller_id`

/** SQL from clause: orders joined with the party of one side, for {@link visibleToSide}. */
export const fromOrdersSeenBy = (side: Side): SQL =>
  side === 'buyer'
    ? sql`from orders join parties buyer on buyer.id = orders.buyer_id`
    : sql`from orders join parties seller on seller.id = orders.seller_id`

/**
 * Whether {@link fromOrdersOf} can read orders: Citus refuses it, and reads the orders of all
 * parties on each node.
 */
export const readsByParty = ({ isDistributed }: Ports): boolean => !isDistributed

/**
 * SQL condition: the caller sees the order whose id is in a column of `rows`. One PostgreSQL looks
 * up the order of each row, a distributed database those of all rows at once.
 */
export const seesOrderOf = (
  { isDistributed }: Ports,
  call: Call,
  { rows, row, column }: { rows: SQL; row: SQL; column: SQL }
): SQL => {
  const side = sideOf(call)
  const own = visibleToSide(side, call.caller.organization ?? '')
  return isDistributed
    ? sql`${row}.${column} in (select orders.id ${fromOrdersSeenBy(side)}
        where orders.id in (select ${column} from ${rows}) and ${own})`
    : sql`coalesce((select true ${fromOrdersSeenBy(side)} where orders.id = ${row}.${column} and ${own} limit 1), false)`
}

/**
 * SQL from clause like {@link fromOrdersSeenBy}, with the condition {@link visibleToSide} in it:
 * selects orders party by party, so that PostgreSQL reads them in an index of the party's orders.
 * @param select writes a query of `orders.*` from the orders that meet a condition.
 */
export const fromOrdersOf = (
  side: Side,
  organization: SQL | Placeholder,
  select: (visible: SQL) => SQL
): SQL => {
  const parties = partiesOf[side]
  const column = side === 'buyer' ? orders.buyerId : orders.sellerId
  const visible = sql`${eq(column, parties.id)} and ${isShownTo(side)}`
  return sql`
    from (select * from parties where organization = ${organization}) ${sql.raw(side)}
    cross join lateral (${select(visible)}) orders`
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
 * Finds the order that a reference leads to, whoever may see it. A line never moves to another
 * order, so a statement on the order may follow. Undefined when there is no such line; an order's
 * own id is returned as it is.
 */
export async function findOrderId(db: Database, { by, id }: OrderRef): Promise<string | undefined> {
  if (by === 'order') return id
  const [found] = await orderIdOf[by](db, { id })
  return found?.order_id
}

const existing = statement<{ id: string }, { id: string }>(
  sql`select id from orders where id = ${sql.placeholder('id')}`
)

/**
 * Finds an order for the audit record of a request that the caller had no access to, so that the
 * order's buyer learns of the request. The caller must not learn the order, so the caller's view of
 * the record omits it.
 */
export async function lookUpOrderForAudit(db: Database, ref: OrderRef): Promise<AuditSubject[]> {
  const id = await findOrderId(db, ref)
  const [order] = id === undefined ? [] : await existing(db, { id })
  return orderSubjects(order?.id)
}
