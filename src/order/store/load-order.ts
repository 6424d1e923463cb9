import { type SQL, sql } from 'drizzle-orm'
import { createBatcher } from '../../db/batch/batcher.js'
import { runBatch } from '../../db/batch/run-batch.js'
import type { Database } from '../../db/driver/database.js'
import { jsonText, openJsonText } from '../../db/json/serializer.js'
import { jsonRow, rowFromJson } from '../../db/sql/json-row.js'
import { statement } from '../../db/sql/statement.js'
import type { Actor } from '../../platform/auth/actor.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import type { OrderSnapshot } from './save-order.js'
import { orderSerializers } from './serializers.js'
import { orderLines, orders } from './tables.js'
import { fromOrders, named, type OrderRef, type Side, sideOf, visibleToSide } from './visibility.js'

/** What a caller asks for: an order by one of its names, if it is within the reach of the caller's organization. */
interface Ask {
  id: string
  organization: string
}

/** The number of an ask, and what was asked for, as PostgreSQL sends it. */
type Found<C extends Buffer[]> = [number: Buffer, ...columns: C]

/** Lookups that share a statement at most. */
const MAX_BATCH_SIZE = 16

/** Start the next batch after this many ms even if one is in flight. */
const MAX_WAIT_MS = 20

/**
 * Loads something of an order. Those who ask at the same time share a statement, in which every ask has a reach of its own. `limit 1`
 * makes PostgreSQL look for each by its id, however few orders there are yet.
 */
function loading<C extends Buffer[]>(db: Database, by: OrderRef['by'], columns: SQL) {
  const ofSide = (side: Side) => {
    const load = statement<{ asks: string }, Found<C>>(
      sql`select ask.number, found.*
      from json_to_recordset(${sql.placeholder('asks')}::text::json) as ask(number int, id uuid, organization text),
        lateral (
          select ${columns} ${fromOrders}
          where ${named(sql`ask.id`)[by]} and ${visibleToSide(side, sql`ask.organization`)} limit 1) found`,
      { isRaw: true }
    )
    const loadAll = (asks: readonly Ask[]) =>
      runBatch(
        asks,
        (json) => load(db, { asks: json }),
        ([number]) => Number(number.toString())
      )
    return createBatcher<Ask, Found<C> | undefined>({
      execute: loadAll,
      maxBatchWeight: MAX_BATCH_SIZE,
      maxWaitMs: MAX_WAIT_MS
    })
  }
  const sides = { buyer: ofSide('buyer'), seller: ofSide('seller') }
  return (actor: Actor, id: string) => sides[sideOf(actor)]({ id, organization: actor.organization ?? '' })
}

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

const snapshots = memoizePerApp(({ db }: Ports) => {
  const loadingBy = (by: OrderRef['by']) =>
    loading<[json: Buffer]>(db, by, sql`json_build_object(${snapshotMembers})`)
  return { order: loadingBy('order'), line: loadingBy('line'), trace: loadingBy('trace') }
})

/**
 * Loads an order within the caller's reach, in one statement so that its parts belong together. It comes as one JSON value:
 * joined, the whole order would come once for each of its lines.
 */
export async function loadOrder(
  ports: Ports,
  actor: Actor,
  { by, id }: OrderRef
): Promise<OrderSnapshot | undefined> {
  const found = await snapshots(ports)[by](actor, id)
  return found && snapshotFrom(JSON.parse(found[1].toString()))
}

/** The order as a member of its own, or its members at the top. */
export type DetailsForm = 'nested' | 'flat'

const details = memoizePerApp((ports: Ports) => {
  const { order, line, trace } = orderSerializers(ports)
  const text = jsonText(order, 'orders')
  const parts = sql`',"orderLines":[', (
      select string_agg(${jsonText(line, 'l')}, ',' order by l.id)
      from order_lines l where l.order_id = orders.id and l.deleted_at is null), '],"traceLines":[', (
      select string_agg(${jsonText(trace, 't')}, ',' order by t.timestamp, t.seq)
      from trace_lines t where t.order_id = orders.id), ']}'`
  const loadingJson = (json: SQL) =>
    loading<[patient: Buffer, json: Buffer]>(ports.db, 'order', sql`orders.patient, ${json}`)
  return {
    nested: loadingJson(sql`concat('{"order":', ${text}, ${parts})`),
    flat: loadingJson(sql`concat(${openJsonText(order, 'orders')}, ${parts})`)
  }
})

/** Loads all that is shown of an order within the caller's reach as JSON, in one statement as well; and who its patient is. */
export async function loadOrderDetails(
  ports: Ports,
  actor: Actor,
  id: string,
  form: DetailsForm
): Promise<{ patient: string; json: Buffer } | undefined> {
  const found = await details(ports)[form](actor, id)
  return found && { patient: found[1].toString(), json: found[2] }
}
