import { itemResource } from '../catalogue/resources.js'
import { toDevice, toItemSnapshot, toRelatedDevice } from '../device/serialize.js'
import type { Call } from '../platform/auth/call.js'
import { hasPermission } from '../platform/auth/caller.js'
import type { OrderLine } from './model/order-line.schemas.js'
import { orderLineResource, orderResource } from './model/resources.js'
import { allowedLineStatuses, type LineStatus, type OrderStatus } from './model/states.js'
import { type SerializerPorts, statusReasonOf } from './serialize.js'
import type { ShownLine } from './store/tables.js'

/**
 * The wire format of an order line, for the reader for whom its devices were loaded.
 * @param members omitted in lists.
 */
export function toOrderLine(
  ports: SerializerPorts,
  reader: Pick<Call, 'language' | 'scope'>,
  row: ShownLine,
  members?: { allowedStatuses: LineStatus[] }
): OrderLine {
  const { resourceUrls, terminology } = ports
  const { device, relatedDevice } = row
  return {
    id: row.id,
    order: resourceUrls.url(orderResource, row.orderId),
    status: terminology.coding('order-line-status', row.status, reader.language),
    statusReason: statusReasonOf(ports, reader, row),
    item: resourceUrls.url(itemResource, row.itemId),
    orderedItem: row.orderedItem && toItemSnapshot(row.orderedItem),
    action: terminology.coding('order-line-action', row.action, reader.language),
    agreedFrom: row.agreedFrom === null ? null : row.agreedFrom.toISOString(),
    agreedTo: row.agreedTo === null ? null : row.agreedTo.toISOString(),
    performedAt: row.performedAt === null ? null : row.performedAt.toISOString(),
    receivedBy: row.receivedBy,
    relatedTo: relatedDevice?.isShown ? resourceUrls.url(orderLineResource, relatedDevice.lineId) : null,
    relatedDevice: relatedDevice && toRelatedDevice(ports, reader, relatedDevice, row.id),
    device: device && toDevice(ports, reader, device),
    ...members
  }
}

/**
 * A line in a single read, with the statuses that the caller may set.
 * @param orderStatus of the order of the line.
 */
export const orderLineOf = (
  ports: SerializerPorts,
  call: Call,
  orderStatus: OrderStatus,
  line: ShownLine
): OrderLine =>
  toOrderLine(ports, call, line, {
    allowedStatuses: hasPermission(call.caller, 'OrderLine.update')
      ? allowedLineStatuses(orderStatus, line.status, call.caller.userType)
      : []
  })
