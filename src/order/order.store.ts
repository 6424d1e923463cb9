import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import { insertionOf } from '../audit/insert.js'
import type { AuditRow } from '../audit/tables.js'
import type { Database } from '../db/connection.js'
import { jsonRow, rowFromJson } from '../db/json-row.js'
import { assignmentsOf, columnsOf, recordset, valuesOf } from '../db/recordset.js'
import type { Actor } from '../platform/actor.js'
import { orderLines, orders, traceLines } from './tables.js'

export type OrderRow = typeof orders.$inferSelect
export type LineRow = typeof orderLines.$inferSelect
export type TraceRow = typeof traceLines.$inferSelect

/** An order with its lines, as they were together at one moment, and what its two parties are called. */
export interface OrderSnapshot {
  order: OrderRow
  lines: LineRow[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  /** When it was read, by the clock of the database. */
  readAt: Date
}

export const buyers = alias(parties, 'buyer')
export const sellers = alias(parties, 'seller')

/**
 * The condition that an order, joined with its {@link buyers} and {@link sellers}, is there for the caller: a buyer sees its
 * own, a seller its own once they were submitted, nobody sees a deleted one.
 */
export function orderWithinReach(actor: Actor): SQL | undefined {
  const organization = actor.organization ?? ''
  return and(
    isNull(orders.deletedAt),
    actor.scope === 'own-buyer'
      ? eq(buyers.organization, organization)
      : and(eq(sellers.organization, organization), isNotNull(orders.submittedAt))
  )
}

/**
 * Loads an order within the caller's reach, in one statement so that its parts belong together. It comes as one JSON value:
 * joined, the whole order would come once for each of its lines.
 */
export async function loadOrder(db: Database, actor: Actor, which: SQL): Promise<OrderSnapshot | undefined> {
  const [row] = await db.execute<{ snapshot: SnapshotJson }>(
    sql`select json_build_object(${snapshotMembers}) as snapshot ${fromOrders} where ${and(which, orderWithinReach(actor))}`
  )
  return row && snapshotFrom(row.snapshot)
}

/** The same with the whole trace, oldest first. */
export async function loadTracedOrder(
  db: Database,
  actor: Actor,
  which: SQL
): Promise<(OrderSnapshot & { traces: TraceRow[] }) | undefined> {
  const [row] = await db.execute<{ snapshot: SnapshotJson & { traces: TraceRow[] } }>(
    sql`select json_build_object(${snapshotMembers}, ${traceMember}) as snapshot ${fromOrders} where ${and(which, orderWithinReach(actor))}`
  )
  return row && { ...snapshotFrom(row.snapshot), traces: row.snapshot.traces.map(traceFromJson) }
}

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

const snapshotMembers = sql`
  'order', ${jsonRow(orders, 'orders')},
  'lines', (
    select coalesce(json_agg(${jsonRow(orderLines, 'l')} order by l.id), '[]')
    from order_lines l where l.order_id = orders.id and l.deleted_at is null),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'readAt', clock_timestamp()`

const traceMember = sql`
  'traces', (
    select coalesce(json_agg(${jsonRow(traceLines, 't')} order by t.timestamp, t.seq), '[]')
    from trace_lines t where t.order_id = orders.id)`

/** Orders with their {@link buyers} and {@link sellers}. */
export const fromOrders = sql`
  from orders
  join parties buyer on buyer.id = orders.buyer_id
  join parties seller on seller.id = orders.seller_id`

/**
 * Notes for the audit record which order a caller asked for in vain, whoever's it is, so that its buyer learns of it. The caller
 * must not, so the record is shown to it without the order.
 */
export async function noteAttempt(db: Database, actor: Actor, which: SQL): Promise<void> {
  const [order] = await db.select({ id: orders.id }).from(orders).where(which)
  if (order) actor.trail.touch(null, order.id)
}

/** Names an order by its own id. */
export const orderById = (id: string): SQL => eq(orders.id, id)

/** Names the order that a line belongs to. */
export const orderOfLine = (lineId: string): SQL =>
  sql`${orders.id} = (select ${orderLines.orderId} from ${orderLines} where ${orderLines.id} = ${lineId})`

/** Names the order that a trace line is about. */
export const orderOfTrace = (traceId: string): SQL =>
  sql`${orders.id} = (select ${traceLines.orderId} from ${traceLines} where ${traceLines.id} = ${traceId})`

/** Rows to be written together. */
export interface OrderWrite {
  order: OrderRow
  newLines: readonly LineRow[]
  changedLines: readonly LineRow[]
  traces: readonly TraceRow[]
  audit: AuditRow
  /** When it is too late to write, by the clock of the database: the statement may wait for others before it runs. */
  until: Date
}

/**
 * Writes a changed order, its lines, its trace and the audit record in one statement, so all of it or nothing; and only if the order is still at
 * the revision that the change was decided on, and in time. False when somebody was faster, or the time is over.
 */
export async function saveOrder(
  db: Database,
  { order, newLines, changedLines, traces, audit, until }: OrderWrite
): Promise<boolean> {
  const saved = await db.execute(sql`
    with saved as (
      update ${orders} set ${assignmentsOf(orders)}
      from ${recordset(orders, [order])}
      where orders.id = r.id and orders.revision = r.revision - 1 and orders.deleted_at is null
        and clock_timestamp() < ${until.toISOString()}::timestamptz
      returning orders.id
    ), new_lines as (
      insert into ${orderLines} (${columnsOf(orderLines)})
      select ${valuesOf(orderLines)} from ${recordset(orderLines, newLines)}, saved
    ), changed_lines as (
      update ${orderLines} set ${assignmentsOf(orderLines)}
      from ${recordset(orderLines, changedLines)}, saved
      where order_lines.id = r.id and order_lines.order_id = saved.id
    ), traced as (
      insert into ${traceLines} (${columnsOf(traceLines)})
      select ${valuesOf(traceLines)} from ${recordset(traceLines, traces)}, saved
    ), audited as (${insertionOf([audit], sql`, saved`)})
    select id from saved`)
  return saved.length > 0
}
