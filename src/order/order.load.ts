import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import type { Database } from '../db/connection.js'
import { openTextOf, textOf } from '../db/form.js'
import { jsonRow, rowFromJson } from '../db/json-row.js'
import { type Statement, statement } from '../db/statement.js'
import type { Actor } from '../platform/actor.js'
import { perServer } from '../platform/per-server.js'
import type { Ports } from '../ports.js'
import { orderForms } from './forms.js'
import type { OrderSnapshot } from './order.store.js'
import { orderLines, orders } from './tables.js'

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

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]

const snapshotFrom = ({ order, lines, buyer, seller, readAt }: SnapshotJson): OrderSnapshot => ({
  order: orderFromJson(order),
  lines: lines.map(lineFromJson),
  buyer,
  seller,
  readAt: new Date(readAt)
})

const snapshotMembers = sql`
  'order', ${jsonRow(orders, 'orders')}, 'lines', (
    select coalesce(json_agg(${jsonRow(orderLines, 'l')} order by l.id), '[]')
    from order_lines l where l.order_id = orders.id and l.deleted_at is null),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'readAt', clock_timestamp()`

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

/** A statement for the callers of either side. */
function loading<R>(by: OrderName['by'], columns: SQL, { isRaw = false } = {}) {
  const ofSide = (side: 'buyer' | 'seller'): Statement<{ id: string; organization: string }, R> =>
    statement(
      sql`select ${columns} ${fromOrders}
      where ${named[by]} and ${withinReachOf(side, sql.placeholder('organization'))}`,
      { isBrief: true, isRaw }
    )
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
}

const snapshot = sql`json_build_object(${snapshotMembers}) as json`
const snapshots = {
  order: loading<{ json: SnapshotJson }>('order', snapshot),
  line: loading<{ json: SnapshotJson }>('line', snapshot),
  trace: loading<{ json: SnapshotJson }>('trace', snapshot)
}

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

/** The order as a member of its own, or its members at the top. */
export type DetailsForm = 'nested' | 'flat'

const details = perServer((ports: Ports) => {
  const { order, line, trace } = orderForms(ports)
  const text = textOf(order, 'orders')
  const parts = sql`',"orderLines":[', (
      select string_agg(${textOf(line, 'l')}, ',' order by l.id)
      from order_lines l where l.order_id = orders.id and l.deleted_at is null), '],"traceLines":[', (
      select string_agg(${textOf(trace, 't')}, ',' order by t.timestamp, t.seq)
      from trace_lines t where t.order_id = orders.id), ']}'`
  const loadingJson = (json: SQL) =>
    loading<[patient: Buffer, json: Buffer]>('order', sql`orders.patient, ${json}`, { isRaw: true })
  return {
    nested: loadingJson(sql`concat('{"order":', ${text}, ${parts})`),
    flat: loadingJson(sql`concat(${openTextOf(order, 'orders')}, ${parts})`)
  }
})

/** Loads all that is shown of an order within the caller's reach as JSON, in one statement as well; and who its patient is. */
export async function loadOrderDetails(
  ports: Ports,
  actor: Actor,
  id: string,
  form: DetailsForm
): Promise<{ patient: string; json: Buffer } | undefined> {
  const load = details(ports)[form][sideOf(actor)]
  const [row] = await load(ports.db, { id, organization: actor.organization ?? '' })
  return row && { patient: String(row[0]), json: row[1] }
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
