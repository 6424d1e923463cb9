import { type SQL, sql } from 'drizzle-orm'
import { singleRowQuery } from '../../db/batch/single-row.js'
import { jsonText, openJsonText, quoteLiteral } from '../../db/json/serializer.js'
import { jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import type { Call } from '../../platform/auth/call.js'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { revisionOf } from '../../platform/rest/revision.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { type LineWithDevices, withDevices } from '../device/line-devices.js'
import { deviceMembersText } from '../device/serialize.js'
import type { AnswerTerm, AttentionFacts } from '../model/attention.js'
import { closedStatuses } from '../model/order.state.js'
import { answerTerms } from './attention.js'
import { recordedRead } from './read-recorded.js'
import { orderSerializers } from './serializers.js'
import { type LineRow, type OrderRow, orderLines, orders } from './tables.js'
import {
  bySide,
  findOrderId,
  fromOrders,
  type OrderRef,
  type Side,
  sideOf,
  visibleToSide
} from './visibility.js'

/** A line as a change needs it. */
export type SnapshotLine = LineWithDevices & {
  /** The device model that its item is, or that its service is for. */
  modelId: string | null
}

/**
 * The revision of a line: of what its order changes. Another order may end the use of its device.
 */
export const lineRevision = ({ device, relatedDevice, modelId, ...row }: SnapshotLine): string =>
  revisionOf(row)

/** A consistent snapshot of an order with its lines, and the names of its parties. */
export interface OrderSnapshot {
  order: OrderRow
  lines: SnapshotLine[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  answerTerms: AnswerTerm[]
  /** Time of reading, by the clock of the database. */
  readAt: Date
}

/** The order, and the organization that reads it. */
interface OrderRead {
  id: SQL
  side: Side
  organization: SQL
}

/** Columns of an order and its family, and the lateral joins that they need. */
type OrderColumns = (read: OrderRead) => { columns: SQL; joins?: SQL }

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

const visibleOrder = (side: Side, columnsOf: OrderColumns) => (id: SQL, organization: SQL) => {
  const { columns, joins = sql`` } = columnsOf({ id, side, organization })
  return sql`
  select ${columns} ${fromOrders} ${joins}
  where orders.id = ${id} and ${visibleToSide(side, organization)} limit 1`
}

const linesOf = (id: SQL) => sql`l.order_id = ${id} and l.deleted_at is null`

type SnapshotJson = Omit<OrderSnapshot, 'lines' | 'readAt'> & {
  lines: { row: LineRow; modelId: string | null }[]
  readAt: string
}

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]

const snapshotMembers = ({ id }: OrderRead) => sql`
  'order', ${jsonRowExpression(orders, 'orders')}, 'lines', (
    select coalesce(json_agg(json_build_object(
      'row', ${jsonRowExpression(orderLines, 'l')},
      'modelId', case item.type when 'DeviceModel' then item.id else item.related_to_id end) order by l.id), '[]')
    from order_lines l join catalogue_items item on item.id = l.item_id where ${linesOf(id)}),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'answerTerms', ${answerTerms}, 'readAt', clock_timestamp()`

const snapshots = memoizePerApp((ports: Ports) =>
  visibleOrderQuery<[json: Buffer]>(ports, (read) => ({
    columns: sql`json_build_object(${snapshotMembers(read)})`
  }))
)

/**
 * Loads an order that the caller may see, in one statement for a consistent snapshot. The statement
 * returns one JSON value: a join would repeat the order for each of its lines. A second statement
 * reads the devices that its lines are about, and the one that a referred line delivered, if there
 * are any: their changes are checked by their own version.
 */
export async function loadOrderSnapshot(
  ports: Ports,
  call: Call,
  ref: OrderRef
): Promise<OrderSnapshot | undefined> {
  const id = await findOrderId(ports.db, ref)
  const found = id === undefined ? undefined : await snapshots(ports)(call, id)
  if (!found) return undefined
  const { lines, order, readAt, ...others }: SnapshotJson = JSON.parse(found[0].toString())
  const rows = lines.map(({ row, modelId }) => ({ ...lineFromJson(row), modelId }))
  return {
    ...others,
    order: orderFromJson(order),
    lines: await withDevices(ports, call, rows, (line) => ref.by === 'line' && line.id === ref.id),
    readAt: new Date(readAt)
  }
}

const isOrderClosed = sql.raw(`orders.status in (${closedStatuses.map(quoteLiteral).join(', ')})`)

/** What the moves and the attention of an order depend on. A closed one has neither. */
const orderFacts = (id: SQL) => sql`case when not ${isOrderClosed} then json_build_object(
  'status', orders.status, 'submittedAt', orders.submitted_at, 'awaiting', orders.awaiting,
  'latestDeliveryDate', orders.latest_delivery_date, 'answerTerms', ${answerTerms}, 'lines', (
    select coalesce(
      json_agg(json_build_object('status', l.status, 'agreedTo', l.agreed_to) order by l.id), '[]')
    from order_lines l where ${linesOf(id)})) end`

/** Ends a line. JSON text has no such character. */
const LINE_END = '\x1e'

/**
 * The lines of an order: their JSON text without the closing brace, and the ids of the orders that
 * delivered the devices that they are about, if the reader sees them. In a distributed database the
 * rows as JSON, without their devices, which are elsewhere.
 */
function linesText(ports: Ports, { id, side, organization }: OrderRead): SQL {
  if (ports.isDistributed)
    return sql`
      select coalesce(json_agg(${jsonRowExpression(orderLines, 'l')} order by l.id), '[]') as text, '{}' as related
      from order_lines l where ${linesOf(id)}`
  const { line } = orderSerializers(ports)
  return sql`
    select
      string_agg(${openJsonText(line.ofRow, 'l')} || ${deviceMembersText(ports, organization)},
        ${sql.raw(quoteLiteral(LINE_END))} order by l.id) as text,
      coalesce(array_agg(distinct related.order_id) filter (where party.organization = ${organization}), '{}')
        as related
    from order_lines l
    left join devices d on d.line_id = l.id and l.status = 'FULFILLED'
    left join (devices related
      join catalogue_items model on model.id = related.item_id
      join parties party on party.id = ${sql.raw(side === 'buyer' ? 'related.buyer_id' : 'related.seller_id')}
    ) on related.line_id = l.related_to
    where ${linesOf(id)}`
}

const details = memoizePerApp((ports: Ports) => {
  const { order, trace } = orderSerializers(ports)
  const orderText = openJsonText(order, 'orders')
  const traceText = jsonText(trace, 't')
  const columns: OrderColumns = (read) => ({
    columns: sql`
    orders.patient, orders.revision, ${orderFacts(read.id)}, ${orderText}, lines.text, (
      select string_agg(${traceText}, ',' order by t.seq) from trace_lines t where t.order_id = ${read.id}),
    lines.related`,
    joins: sql`cross join lateral (${linesText(ports, read)}) lines`
  })
  return {
    plain: visibleOrderQuery<DetailsRow>(ports, columns),
    recorded: bySide((side) => recordedRead<DetailsRow>(ports, visibleOrder(side, columns)))
  }
})

/** Facts, lines and trace lines may be null. */
type DetailsRow = [
  patient: Buffer,
  revision: Buffer,
  facts: Buffer,
  order: Buffer,
  lines: Buffer,
  traces: Buffer,
  related: Buffer
]

/** The details of an order. */
interface OrderDetails {
  patient: string
  revision: string
  /** What its moves and its attention depend on; undefined for a closed order. */
  facts: AttentionFacts | undefined
  /** The ids of the orders that delivered the devices of its lines, if the reader sees them. */
  relatedOrders: readonly string[]
  /** The order and its lines as JSON without the closing brace, its trace lines with commas. */
  json: { order: Buffer; lines: readonly Buffer[]; traces: Buffer }
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
  isComplete: boolean
): Promise<OrderDetails | undefined> {
  const { plain, recorded } = details(ports)
  const found =
    isComplete && !ports.isDistributed
      ? await recorded[sideOf(call)](call, id).catch((cause) => {
          if (isConnectionLost(cause)) throw cause
          // Reading must not fail because recording does: that has its own response.
          return plain(call, id)
        })
      : await plain(call, id)
  if (!found) return undefined
  const [patient, revision, facts, order, lines, traces, related] = found
  const ofLines = ports.isDistributed
    ? await linesFromRows(ports, call, JSON.parse(String(lines)))
    : { lines: lines ? endedParts(lines) : [], relatedOrders: idsIn(String(related)) }
  return {
    patient: patient.toString(),
    revision: revision.toString(),
    facts: facts ? JSON.parse(facts.toString(), withDates) : undefined,
    relatedOrders: ofLines.relatedOrders,
    json: { order, lines: ofLines.lines, traces: traces ?? Buffer.alloc(0) }
  }
}

/** The texts that {@link LINE_END} separates, without decoding them. */
function endedParts(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
    parts.push(bytes.subarray(from, end))
    from = end + LINE_END.length
  }
  return [...parts, bytes.subarray(from)]
}

/** The open JSON text of lines with their devices, which a second statement reads. */
async function linesFromRows(ports: Ports, call: Call, json: readonly Record<string, unknown>[]) {
  const lines = await withDevices(ports, call, json.map(lineFromJson))
  const texts = lines.map((line) =>
    Buffer.from(JSON.stringify(orderSerializers(ports).line.toJson(line)).slice(0, -1))
  )
  const shown = lines.flatMap(({ relatedDevice }) => (relatedDevice?.isShown ? [relatedDevice.orderId] : []))
  return { lines: texts, relatedOrders: shown }
}

/** The ids in the text of an array of PostgreSQL. */
const idsIn = (array: string): string[] => array.slice(1, -1).split(',').filter(Boolean)

const withDates = (name: string, value: unknown) =>
  (name === 'submittedAt' || name === 'agreedTo') && value !== null ? new Date(value as string) : value
