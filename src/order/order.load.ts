import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import type { Database } from '../db/connection.js'
import { jsonRow, rowFromJson } from '../db/json-row.js'
import { type Statement, statement } from '../db/statement.js'
import type { Actor } from '../platform/actor.js'
import { type OrderSnapshot, type ShownLine, type ShownOrder, type TraceRow, unshown } from './order.store.js'
import { orderLines, orders, traceLines } from './tables.js'

/** Names an order by its own id, or by that of one of its lines or of an entry of its trace. */
export interface OrderName {
  by: 'order' | 'line' | 'trace'
  id: string
}

export const orderById = (id: string): OrderName => ({ by: 'order', id })
export const orderOfLine = (id: string): OrderName => ({ by: 'line', id })
export const orderOfTrace = (id: string): OrderName => ({ by: 'trace', id })

export const buyers = alias(parties, 'buyer')
export const sellers = alias(parties, 'seller')

/**
 * The condition that an order, joined with its {@link buyers} and {@link sellers}, is there for the caller: a buyer sees its
 * own, a seller its own once they were submitted, nobody sees a deleted one.
 */
export const orderWithinReach = (actor: Actor): SQL | undefined =>
  withinReachOf(sideOf(actor), actor.organization ?? '')

const sideOf = ({ scope }: Actor) => (scope === 'own-buyer' ? 'buyer' : 'seller')

const withinReachOf = (side: 'buyer' | 'seller', organization: string | Placeholder): SQL | undefined =>
  and(
    isNull(orders.deletedAt),
    side === 'buyer'
      ? eq(buyers.organization, organization)
      : and(eq(sellers.organization, organization), isNotNull(orders.submittedAt))
  )

type SnapshotJson = Omit<OrderSnapshot, 'readAt'> & { readAt: string }

const [orderFromJson, lineFromJson, traceFromJson] = [
  rowFromJson(orders),
  rowFromJson(orderLines),
  rowFromJson(traceLines)
]

const snapshotFrom = ({ order, lines, buyer, seller, readAt }: SnapshotJson): OrderSnapshot => ({
  order: orderFromJson(order),
  lines: lines.map(lineFromJson),
  buyer,
  seller,
  readAt: new Date(readAt)
})

const linesOf = (line: SQL) => sql`(
  select coalesce(json_agg(${line} order by l.id), '[]')
  from order_lines l where l.order_id = orders.id and l.deleted_at is null)`

const snapshotMembers = sql`
  'order', ${jsonRow(orders, 'orders')}, 'lines', ${linesOf(jsonRow(orderLines, 'l'))},
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'readAt', clock_timestamp()`

const detailMembers = sql`
  'order', ${jsonRow(orders, 'orders', unshown.order)},
  'lines', ${linesOf(jsonRow(orderLines, 'l', unshown.line))},
  'traces', (
    select coalesce(json_agg(${jsonRow(traceLines, 't')} order by t.timestamp, t.seq), '[]')
    from trace_lines t where t.order_id = orders.id)`

/** Orders with their {@link buyers} and {@link sellers}. */
export const fromOrders = sql`
  from orders
  join parties buyer on buyer.id = orders.buyer_id
  join parties seller on seller.id = orders.seller_id`

const id = sql.placeholder('id')
const named: Readonly<Record<OrderName['by'], SQL>> = {
  order: sql`orders.id = ${id}`,
  line: sql`orders.id = (select order_id from order_lines where id = ${id})`,
  trace: sql`orders.id = (select order_id from trace_lines where id = ${id})`
}

function loading<R>(by: OrderName['by'], members: SQL) {
  const ofSide = (side: 'buyer' | 'seller'): Statement<{ id: string; organization: string }, { json: R }> =>
    statement(sql`
      select json_build_object(${members}) as json ${fromOrders}
      where ${named[by]} and ${withinReachOf(side, sql.placeholder('organization'))}`)
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
}

const snapshots = {
  order: loading<SnapshotJson>('order', snapshotMembers),
  line: loading<SnapshotJson>('line', snapshotMembers),
  trace: loading<SnapshotJson>('trace', snapshotMembers)
}
const details = loading<OrderDetailRows>('order', detailMembers)

/**
 * Loads an order within the caller's reach, in one statement so that its parts belong together. It comes as one JSON value:
 * joined, the whole order would come once for each of its lines.
 */
export async function loadOrder(
  db: Database,
  actor: Actor,
  { by, id }: OrderName
): Promise<OrderSnapshot | undefined> {
  const [row] = await snapshots[by][sideOf(actor)](db, { id, organization: actor.organization ?? '' })
  return row && snapshotFrom(row.json)
}

/** What is shown of an order with its lines and its whole trace, oldest first. */
export interface OrderDetailRows {
  order: ShownOrder
  lines: ShownLine[]
  traces: TraceRow[]
}

/** Loads all that is shown of an order within the caller's reach, in one statement as well. */
export async function loadOrderDetails(
  db: Database,
  actor: Actor,
  id: string
): Promise<OrderDetailRows | undefined> {
  const [row] = await details[sideOf(actor)](db, { id, organization: actor.organization ?? '' })
  return row && { ...row.json, traces: row.json.traces.map(traceFromJson) }
}

const idOf = {
  order: statement<{ id: string }, { id: string }>(sql`select id from orders where ${named.order}`),
  line: statement<{ id: string }, { id: string }>(sql`select id from orders where ${named.line}`),
  trace: statement<{ id: string }, { id: string }>(sql`select id from orders where ${named.trace}`)
}

/**
 * Notes for the audit record which order a caller asked for in vain, whoever's it is, so that its buyer learns of it. The caller
 * must not, so the record is shown to it without the order.
 */
export async function noteAttempt(db: Database, actor: Actor, { by, id }: OrderName): Promise<void> {
  const [order] = await idOf[by](db, { id })
  if (order) actor.trail.touch(null, order.id)
}
