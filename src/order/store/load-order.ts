import { sql } from 'drizzle-orm'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import type { Call } from '../../platform/auth/call.js'
import { revisionOf } from '../../platform/rest/revision.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { type LineWithDevices, withDevices } from '../device/line-devices.js'
import type { Attention } from '../model/attention.js'
import { attentionJson, attentionOfOrder } from './attention.js'
import { type OrderRow, orderLines, orders } from './tables.js'
import { findOrderId, type OrderRef } from './visibility.js'
import { linesOf, type OrderRead, visibleOrderQuery } from './visible-order.js'

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
  attention: Attention[]
  /** Time of reading, by the clock of the database. */
  readAt: Date
  /** The address of the server that has the order: in a distributed database one of its nodes. */
  node: string
}

type SnapshotJson = Omit<OrderSnapshot, 'order' | 'lines' | 'readAt'> & {
  order: ColumnValues
  lines: { row: ColumnValues; modelId: string | null }[]
  readAt: string
}

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]

const snapshotMembers = (ports: Ports, { id, now }: OrderRead) => sql`
  'order', ${jsonRowExpression(orders, 'orders')}, 'lines', (
    select coalesce(json_agg(json_build_object(
      'row', ${jsonRowExpression(orderLines, 'l')},
      'modelId', case item.type when 'DeviceModel' then item.id else item.related_to_id end) order by l.id), '[]')
    from order_lines l join catalogue_items item on item.id = l.item_id where ${linesOf(id)}),
  'buyer', json_build_object('name', buyer.name, 'organization', buyer.organization),
  'seller', json_build_object('name', seller.name, 'organization', seller.organization),
  'attention', (${attentionJson(ports, attentionOfOrder(ports, { id, now }))})::json, 'readAt', clock_timestamp(),
  'node', concat(inet_server_addr(), ' ', inet_server_port())`

const snapshots = memoizePerApp((ports: Ports) =>
  visibleOrderQuery<[json: Buffer]>(ports, (read) => ({
    columns: sql`json_build_object(${snapshotMembers(ports, read)})`
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
  const json: SnapshotJson = JSON.parse(found[0].toString())
  // Copies of objects by a spread would take longer than reading the JSON.
  const rows = json.lines.map(({ row, modelId }) => Object.assign(lineFromJson(row), { modelId }))
  return Object.assign(json, {
    order: orderFromJson(json.order),
    lines: await withDevices(ports, call, rows, (line) => ref.by === 'line' && line.id === ref.id),
    readAt: new Date(json.readAt)
  })
}
