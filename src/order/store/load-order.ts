import { type SQL, sql } from 'drizzle-orm'
import { singleRowQuery } from '../../db/batch/single-row.js'
import { jsonText, openJsonText, quoteLiteral } from '../../db/json/serializer.js'
import { jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import type { Call } from '../../platform/auth/call.js'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import type { AnswerTerm, AttentionFacts } from '../model/attention.js'
import { closedStatuses } from '../model/order.state.js'
import { answerTerms } from './attention.js'
import { recordedRead } from './read-recorded.js'
import { orderSerializers } from './serializers.js'
import { type LineRow, type OrderRow, orderLines, orders } from './tables.js'
import { findOrderId, fromOrders, type OrderRef, type Side, sideOf, visibleToSide } from './visibility.js'

/** A consistent snapshot of an order with its lines, and the names of its parties. */
export interface OrderSnapshot {
  order: OrderRow
  lines: LineRow[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  answerTerms: AnswerTerm[]
  /** Time of reading, by the clock of the database. */
  readAt: Date
}

/** Columns of an order and its family, by the order's id. */
type OrderColumns = (id: SQL) => SQL

/**
 * Prepares a query for columns of an order that the organization of the caller may see. `limit 1`
 * makes PostgreSQL use the index even while the tables are small.
 */
function visibleOrderQuery<C extends Buffer[]>(ports: Ports, columns: OrderColumns) {
  const sides = bySide((side) =>
    singleRowQuery<C>(ports, {
      name: 'order-reads',
      types: ['uuid', 'text'],
      write: visibleOrder(side, columns)
    })
  )
  return (call: Call, id: string) => sides[sideOf(call)](id, call.caller.organization ?? '')
}

const bySide = <T>(of: (side: Side) => T): Record<Side, T> => ({ buyer: of('buyer'), seller: of('seller') })

const visibleOrder = (side: Side, columns: OrderColumns) => (id: SQL, organization: SQL) =>
  sql`
  select ${columns(id)} ${fromOrders}
  where orders.id = ${id} and ${visibleToSide(side, organization)} limit 1`

type SnapshotJson = Omit<OrderSnapshot, 'readAt'> & { readAt: string }

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]

const toSnapshot = ({ order, lines, readAt, ...others }: SnapshotJson): OrderSnapshot => ({
  ...others,
  order: orderFromJson(order),
  lines: lines.map(lineFromJson),
  readAt: new Date(readAt)
})

const snapshotMembers: OrderColumns = (id) => sql`
  'order', ${jsonRowExpression(orders, 'orders')}, 'lines', (
    select coalesce(json_agg(${jsonRowExpression(orderLines, 'l')} order by l.id), '[]')
    from order_lines l where l.order_id = ${id} and l.deleted_at is null),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'answerTerms', ${answerTerms}, 'readAt', clock_timestamp()`

const snapshots = memoizePerApp((ports: Ports) =>
  visibleOrderQuery<[json: Buffer]>(ports, (id) => sql`json_build_object(${snapshotMembers(id)})`)
)

/**
 * Loads an order that the caller may see, in one statement for a consistent snapshot. The statement
 * returns one JSON value: a join would repeat the order for each of its lines.
 */
export async function loadOrderSnapshot(
  ports: Ports,
  call: Call,
  ref: OrderRef
): Promise<OrderSnapshot | undefined> {
  const id = await findOrderId(ports.db, ref)
  const found = id === undefined ? undefined : await snapshots(ports)(call, id)
  return found && toSnapshot(JSON.parse(found[0].toString()))
}

/** `nested`: the order is a member. `flat`: the members of the order are at the root. */
export type DetailsLayout = 'nested' | 'flat'

const isOrderClosed = `orders.status in (${closedStatuses.map(quoteLiteral).join(', ')})`

const details = memoizePerApp((ports: Ports) => {
  const { order, line, trace } = orderSerializers(ports)
  const text = openJsonText(order, 'orders')
  const parts: OrderColumns = (id) => sql`',"orderLines":[', (
      select string_agg(${jsonText(line, 'l')}, ',' order by l.id)
      from order_lines l where l.order_id = ${id} and l.deleted_at is null), '],"traceLines":[', (
      select string_agg(${jsonText(trace, 't')}, ',' order by t.seq)
      from trace_lines t where t.order_id = ${id}), ']}'`
  // A closed order has neither moves nor attention, whatever its lines.
  const facts: OrderColumns = (id) => sql`json_build_object(
    'status', orders.status, 'submittedAt', orders.submitted_at, 'awaiting', orders.awaiting,
    'latestDeliveryDate', orders.latest_delivery_date, 'answerTerms', ${answerTerms}, 'lines', (
      select coalesce(json_agg(json_build_object('status', l.status, 'agreedTo', l.agreed_to)), '[]')
      from order_lines l
      where not ${sql.raw(isOrderClosed)} and l.order_id = ${id} and l.deleted_at is null))`
  const query = (order: SQL, rest: OrderColumns) => {
    const columns: OrderColumns = (id) =>
      sql`orders.patient, orders.revision, ${facts(id)}, ${order}, ${rest(id)}`
    return {
      plain: visibleOrderQuery<DetailsRow>(ports, columns),
      recorded: bySide((side) => recordedRead<DetailsRow>(ports, visibleOrder(side, columns)))
    }
  }
  return {
    nested: query(sql`concat('{"order":', ${text})`, (id) => sql`concat('}', ${parts(id)})`),
    flat: query(text, (id) => sql`concat(${parts(id)})`)
  }
})

type DetailsRow = [patient: Buffer, revision: Buffer, facts: Buffer, order: Buffer, rest: Buffer]

/** The details of an order as JSON, and what the caller's moves and the attention depend on. */
interface OrderDetails {
  patient: string
  revision: string
  /** Without the lines of a closed order. */
  facts: AttentionFacts
  /** In two parts: further members of the order may follow the first. */
  json: { order: Buffer; rest: Buffer }
}

/**
 * Loads the details of an order that the caller may see, in one statement.
 * @param isComplete whether they are the whole response. Then the statement also writes the audit
 *   record of the caller, unless the database is distributed.
 */
export async function loadOrderDetails(
  ports: Ports,
  call: Call,
  id: string,
  layout: DetailsLayout,
  isComplete: boolean
): Promise<OrderDetails | undefined> {
  const { plain, recorded } = details(ports)[layout]
  const found =
    isComplete && !ports.isDistributed
      ? await recorded[sideOf(call)](call, id).catch((cause) => {
          if (isConnectionLost(cause)) throw cause
          // Reading must not fail because recording does: that has its own response.
          return plain(call, id)
        })
      : await plain(call, id)
  if (!found) return undefined
  const [patient, revision, facts, order, rest] = found
  return {
    patient: patient.toString(),
    revision: revision.toString(),
    facts: JSON.parse(facts.toString(), withDates),
    json: { order, rest }
  }
}

const withDates = (name: string, value: unknown) =>
  (name === 'submittedAt' || name === 'agreedTo') && value !== null ? new Date(value as string) : value
