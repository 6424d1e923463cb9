import { sql } from 'drizzle-orm'
import type { Side } from '../../agreement/side.js'
import { type ItemSnapshot, itemSnapshot } from '../../catalogue/item-snapshot.js'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import { withDevices } from '../../device/store.js'
import type { DeviceRow } from '../../device/tables.js'
import { endReasonBy } from '../../device/use.js'
import type { Call } from '../../platform/auth/call.js'
import { revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { type LineWithDevices, type OrderRow, orderLines, orders } from './tables.js'
import { visibleOrderQuery } from './visibility.js'

/** An order, and those of its lines whose delivered devices the caller reads or changes. */
export interface OrderRef {
  id: string
  lines?: ReadonlySet<string>
}

/** The columns of a line that a change needs. */
export type SnapshotLine = LineWithDevices & {
  /** The device model of the line: its item, or the model that its service is for. */
  modelId: string | null
  /** The item now, and the model of {@link modelId} now. Null in a new line. */
  item: ItemSnapshot | null
  modelNow: ItemSnapshot | null
  /** Whether the undo of an import withdrew the model. */
  isModelWithdrawn: boolean
  /** Another model that the provider delivers. */
  otherModel?: { id: string; model: ItemSnapshot; isOrderable: boolean }
}

/**
 * The revision of a line, which covers the columns that changes of its order write. Another order
 * may end the use of its device.
 */
export const lineRevision = ({
  device,
  relatedDevice,
  modelId,
  item,
  modelNow,
  isModelWithdrawn,
  ...row
}: SnapshotLine): string =>
  revisionOf({
    ...row,
    device: device && changedByItsLine(device),
    relatedEnd: relatedDevice && endReasonBy(row.id, relatedDevice)
  })

const changedByItsLine = ({ serialNumber, lotNumber, udi, expiryDate, ...use }: DeviceRow) => [
  ...[serialNumber, lotNumber, udi, expiryDate],
  ...(use.endedBy === null ? [use.until, use.endReason] : [null, null])
]

/** A consistent snapshot of an order with its lines, and the names of its parties. */
export interface OrderSnapshot {
  order: OrderRow
  lines: SnapshotLine[]
  buyer: { name: string; organization: string }
  seller: { name: string; organization: string }
  /** Time of reading, by the clock of the database. */
  readAt: Date
}

type SnapshotJson = Pick<OrderSnapshot, 'buyer' | 'seller'> & {
  order: ColumnValues
  lines: ({ row: ColumnValues } & Pick<SnapshotLine, 'modelId' | 'item' | 'modelNow' | 'isModelWithdrawn'>)[]
  readAt: string
}

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]

const party = (side: Side) =>
  sql.raw(`(
  select json_build_object('name', name, 'organization', organization)
  from parties where id = orders.${side}_id)`)

const readSnapshot = visibleOrderQuery<[json: Buffer]>(
  () => sql`json_build_object(
      'order', ${jsonRowExpression(orders, 'orders')},
      'lines', (
        select coalesce(json_agg(json_build_object(
          'row', ${jsonRowExpression(orderLines, 'l')},
          'item', ${itemSnapshot('item')}, 'modelId', model.id,
          'modelNow', case when model.id is not null then ${itemSnapshot('model')} end,
          'isModelWithdrawn', model.withdrawn_at is not null) order by l.id), '[]')
        from order_lines l
        join catalogue_items item on item.id = l.item_id
        left join catalogue_items model
          on model.id = case item.type when 'DeviceModel' then item.id else item.related_to_id end
        where l.order_id = orders.id and l.deleted_at is null),
      'buyer', ${party('buyer')},
      'seller', ${party('seller')},
      'readAt', clock_timestamp())`
)

/**
 * Loads an order that the caller may see, in one statement for a consistent snapshot. The statement
 * returns one JSON value: a join would repeat the order for each of its lines. If there are related
 * devices, a second statement reads them. The save checks their changes by their own version.
 */
export async function loadOrderSnapshot(
  ports: Ports,
  call: Call,
  { id, lines }: OrderRef
): Promise<OrderSnapshot | undefined> {
  const found = await readSnapshot(ports.db, call, id)
  if (!found) return undefined
  const json: SnapshotJson = JSON.parse(found[0].toString())
  // Spread copies of the objects would take longer than reading the JSON.
  const rows = json.lines.map(({ row, ...more }) => Object.assign(lineFromJson(row), more))
  return Object.assign(json, {
    order: orderFromJson(json.order),
    lines: await withDevices(ports, call, rows, (line) => lines?.has(line.id) ?? false),
    readAt: new Date(json.readAt)
  })
}
