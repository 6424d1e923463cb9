import { type SQL, sql } from 'drizzle-orm'
import { jsonText, openJsonText, quoteLiteral } from '../../db/json/serializer.js'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import type { Call } from '../../platform/auth/call.js'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { withDevices } from '../device/line-devices.js'
import { deviceMembersText } from '../device/serialize.js'
import { closedStatuses, type OrderStatus } from '../model/order.state.js'
import type { LineStatus } from '../model/order-line.state.js'
import { attentionJson, attentionOfOrder } from './attention.js'
import { recordedRead } from './read-recorded.js'
import { orderSerializers } from './serializers.js'
import { orderLines } from './tables.js'
import { bySide, sideOf } from './visibility.js'
import {
  linesOf,
  type OrderColumns,
  type OrderRead,
  visibleOrder,
  visibleOrderQuery
} from './visible-order.js'

const lineFromJson = rowFromJson(orderLines)

const isOrderClosed = sql.raw(`orders.status in (${closedStatuses.map(quoteLiteral).join(', ')})`)

/** What the moves of an order and its lines depend on. */
interface MoveFacts {
  status: OrderStatus
  lines: readonly { status: LineStatus }[]
}

/** SQL expression: the {@link MoveFacts} as JSON. A closed order has no moves. */
const moveFacts = (id: SQL) => sql`case when not ${isOrderClosed} then json_build_object(
  'status', orders.status, 'lines', (
    select coalesce(json_agg(json_build_object('status', l.status) order by l.id), '[]')
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
    orders.patient, orders.revision, ${moveFacts(read.id)}, ${orderText},
    ${attentionJson(ports, attentionOfOrder(ports, read))}, lines.text, (
      select string_agg(${traceText}, ',' order by t.seq) from trace_lines t where t.order_id = ${read.id}),
    lines.related`,
    joins: sql`cross join lateral (${linesText(ports, read)}) lines`
  })
  return {
    plain: visibleOrderQuery<DetailsRow>(ports, columns),
    recorded: bySide((side) => recordedRead<DetailsRow>(ports, (read) => visibleOrder(side, columns, read)))
  }
})

/** Facts, lines and trace lines may be null. */
type DetailsRow = [
  patient: Buffer,
  revision: Buffer,
  facts: Buffer,
  order: Buffer,
  attention: Buffer,
  lines: Buffer,
  traces: Buffer,
  related: Buffer
]

/** The details of an order. */
interface OrderDetails {
  patient: string
  revision: string
  /** What its moves depend on; undefined for a closed order. */
  facts: MoveFacts | undefined
  /** The ids of the orders that delivered the devices of its lines, if the reader sees them. */
  relatedOrders: readonly string[]
  /**
   * The order and its lines as JSON without the closing brace, its attention, and its trace lines
   * with commas.
   */
  json: { order: Buffer; attention: Buffer; lines: readonly Buffer[]; traces: Buffer }
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
  const [patient, revision, facts, order, attention, lines, traces, related] = found
  const ofLines = ports.isDistributed
    ? await linesFromRows(ports, call, JSON.parse(String(lines)))
    : { lines: lines ? endedParts(lines) : [], relatedOrders: idsIn(String(related)) }
  return {
    patient: patient.toString(),
    revision: revision.toString(),
    facts: facts ? JSON.parse(facts.toString()) : undefined,
    relatedOrders: ofLines.relatedOrders,
    json: { order, attention, lines: ofLines.lines, traces: traces ?? Buffer.alloc(0) }
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
async function linesFromRows(ports: Ports, call: Call, json: readonly ColumnValues[]) {
  const lines = await withDevices(ports, call, json.map(lineFromJson))
  const texts = lines.map((line) =>
    Buffer.from(JSON.stringify(orderSerializers(ports).line.toJson(line)).slice(0, -1))
  )
  const shown = lines.flatMap(({ relatedDevice }) => (relatedDevice?.isShown ? [relatedDevice.orderId] : []))
  return { lines: texts, relatedOrders: shown }
}

/** The ids in the text of an array of PostgreSQL. */
const idsIn = (array: string): string[] => array.slice(1, -1).split(',').filter(Boolean)
