import { type SQL, sql } from 'drizzle-orm'
import { createBatcher } from '../../db/batch/batcher.js'
import { runBatch } from '../../db/batch/run-batch.js'
import type { Database } from '../../db/driver/database.js'
import { jsonText, openJsonText } from '../../db/json/serializer.js'
import { jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import { statement } from '../../db/sql/statement.js'
import type { Actor } from '../../platform/auth/actor.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import type { OrderSnapshot } from './save-order.js'
import { orderSerializers } from './serializers.js'
import { orderLines, orders } from './tables.js'
import { byRef, fromOrders, type OrderRef, type Side, sideOf, visibleToSide } from './visibility.js'

/** A request for an order, which must be visible to the organization. */
interface OrderRequest {
  id: string
  organization: string
}

/** The number of a request and the selected columns, as PostgreSQL sends them. */
type RawRow<C extends Buffer[]> = [number: Buffer, ...columns: C]

/** Maximum number of requests that share a statement. */
const MAX_BATCH_SIZE = 16

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 20

/**
 * Returns a loader of columns of an order. Concurrent requests share a statement, which checks
 * visibility for each of them. `limit 1` makes PostgreSQL use the index even while the tables are
 * small.
 */
function createLoader<C extends Buffer[]>(db: Database, by: OrderRef['by'], columns: SQL) {
  const ofSide = (side: Side) => {
    const load = statement<{ requests: string }, RawRow<C>>(
      sql`select request.number, found.*
      from json_to_recordset(${sql.placeholder('requests')}::text::json)
          as request(number int, id uuid, organization text),
        lateral (
          select ${columns} ${fromOrders}
          where ${byRef(sql`request.id`)[by]} and ${visibleToSide(side, sql`request.organization`)} limit 1) found`,
      { isRaw: true }
    )
    const loadAll = (requests: readonly OrderRequest[]) =>
      runBatch(
        requests,
        (json) => load(db, { requests: json }),
        ([number]) => Number(number.toString())
      )
    return createBatcher<OrderRequest, RawRow<C> | undefined>({
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

const toSnapshot = ({ order, lines, buyer, seller, readAt }: SnapshotJson): OrderSnapshot => ({
  order: orderFromJson(order),
  lines: lines.map(lineFromJson),
  buyer,
  seller,
  readAt: new Date(readAt)
})

const snapshotMembers = sql`
  'order', ${jsonRowExpression(orders, 'orders')}, 'lines', (
    select coalesce(json_agg(${jsonRowExpression(orderLines, 'l')} order by l.id), '[]')
    from order_lines l where l.order_id = orders.id and l.deleted_at is null),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'readAt', clock_timestamp()`

const snapshots = memoizePerApp(({ db }: Ports) => {
  const loaderBy = (by: OrderRef['by']) =>
    createLoader<[json: Buffer]>(db, by, sql`json_build_object(${snapshotMembers})`)
  return { order: loaderBy('order'), line: loaderBy('line'), trace: loaderBy('trace') }
})

/**
 * Loads an order that the caller may see, in one statement for a consistent snapshot. The statement
 * returns one JSON value: a join would repeat the order for each of its lines.
 */
export async function loadOrderSnapshot(
  ports: Ports,
  actor: Actor,
  { by, id }: OrderRef
): Promise<OrderSnapshot | undefined> {
  const found = await snapshots(ports)[by](actor, id)
  return found && toSnapshot(JSON.parse(found[1].toString()))
}

/** `nested`: the order is a member. `flat`: the members of the order are at the root. */
export type DetailsLayout = 'nested' | 'flat'

const details = memoizePerApp((ports: Ports) => {
  const { order, line, trace } = orderSerializers(ports)
  const text = jsonText(order, 'orders')
  const parts = sql`',"orderLines":[', (
      select string_agg(${jsonText(line, 'l')}, ',' order by l.id)
      from order_lines l where l.order_id = orders.id and l.deleted_at is null), '],"traceLines":[', (
      select string_agg(${jsonText(trace, 't')}, ',' order by t.timestamp, t.seq)
      from trace_lines t where t.order_id = orders.id), ']}'`
  const jsonLoader = (json: SQL) =>
    createLoader<[patient: Buffer, json: Buffer]>(ports.db, 'order', sql`orders.patient, ${json}`)
  return {
    nested: jsonLoader(sql`concat('{"order":', ${text}, ${parts})`),
    flat: jsonLoader(sql`concat(${openJsonText(order, 'orders')}, ${parts})`)
  }
})

/**
 * Loads the details of an order that the caller may see as JSON, in one statement, and its patient.
 */
export async function loadOrderDetails(
  ports: Ports,
  actor: Actor,
  id: string,
  form: DetailsLayout
): Promise<{ patient: string; json: Buffer } | undefined> {
  const found = await details(ports)[form](actor, id)
  return found && { patient: found[1].toString(), json: found[2] }
}
