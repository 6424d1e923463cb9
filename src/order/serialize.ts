import { partyResource } from '../agreement/resources.js'
import type { Call } from '../platform/auth/call.js'
import { hasPermission } from '../platform/auth/caller.js'
import type { Ports } from '../ports.js'
import { attentionOf } from './attention.js'
import type { Order, StoredOrder } from './model/order.schemas.js'
import { orderLineResource, orderResource } from './model/resources.js'
import { type Attention, allowedStatuses, type OrderStatus } from './model/states.js'
import type { StatusReason } from './model/status-reason.schemas.js'
import type { TraceLine } from './model/trace-line.schemas.js'
import type { LineRow, OrderRow, TraceRow } from './store/tables.js'

/*
 * The wire format of orders and trace lines: a function for each, from a row to an object whose
 * members are in the order of the response. `JSON.stringify` makes its text.
 */

export type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>

/** The reading caller. */
type Reader = Pick<Call, 'language'>

/** The columns of an order that a response has. */
export type ShownOrder = Omit<
  OrderRow,
  'searchText' | 'revision' | 'traceCount' | 'answeredAt' | 'deletedAt' | 'wasReturned' | 'wasLate'
>

/** Members without a column of the order. Lists omit the allowed statuses. */
interface OrderMembers {
  attention: Attention[]
  allowedStatuses?: OrderStatus[]
}

/** The wire format of an order. */
export function toOrder<M extends OrderMembers>(
  ports: SerializerPorts,
  reader: Reader,
  row: ShownOrder,
  members: M
): StoredOrder & M {
  const { resourceUrls, terminology } = ports
  return {
    id: row.id,
    identifiers: row.identifiers,
    name: row.name,
    earliestDeliveryDate: row.earliestDeliveryDate,
    latestDeliveryDate: row.latestDeliveryDate,
    status: terminology.coding('order-status', row.status, reader.language),
    statusReason: statusReasonOf(ports, reader, row),
    priority: row.priority,
    notes: row.notes,
    awaiting: row.awaiting,
    buyer: resourceUrls.url(partyResource, row.buyerId),
    seller: resourceUrls.url(partyResource, row.sellerId),
    receiver: {
      name: row.receiverName,
      addressLine1: row.receiverAddressLine1,
      addressLine2: row.receiverAddressLine2,
      postalCode: row.receiverPostalCode,
      postalDistrict: row.receiverPostalDistrict,
      email: row.receiverEmail,
      phone: row.receiverPhone,
      patientName: row.receiverPatientName,
      patient: row.patient
    },
    number: row.number,
    created: row.createdAt.toISOString(),
    submitted: row.submittedAt === null ? null : row.submittedAt.toISOString(),
    updated: row.changedAt.toISOString(),
    ...members
  }
}

/**
 * An order in a single read, with the statuses that the caller may set. The lines of a closed order
 * have no effect.
 */
export const orderOf = (
  ports: Ports,
  call: Call,
  { order, lines }: { order: OrderRow; lines: readonly Pick<LineRow, 'status'>[] }
): Order =>
  toOrder(ports, call, order, {
    attention: attentionOf(order, ports.now()),
    allowedStatuses: hasPermission(call.caller, 'Order.update')
      ? allowedStatuses(order.status, lines, call.caller.userType)
      : []
  })

export function toTraceLine(
  { resourceUrls, terminology }: SerializerPorts,
  { language }: Reader,
  row: TraceRow
): TraceLine {
  const order = resourceUrls.url(orderResource, row.orderId)
  const line = row.orderLineId === null ? null : resourceUrls.url(orderLineResource, row.orderLineId)
  const set = line === null ? 'order-status' : 'order-line-status'
  return {
    id: row.id,
    timestamp: row.timestamp.toISOString(),
    createdByOrganization: row.createdByOrganization,
    text: row.text,
    code: row.code,
    supplementaryText: row.supplementaryText,
    order,
    orderLine: line,
    statusChange:
      row.oldStatus === null || row.newStatus === null
        ? null
        : {
            subject: line ?? order,
            oldStatus: terminology.coding(set, row.oldStatus, language),
            newStatus: terminology.coding(set, row.newStatus, language)
          }
  }
}

/** The reason of the status; null when there is neither a code nor a text. */
export function statusReasonOf(
  { terminology }: SerializerPorts,
  { language }: Reader,
  { statusReasonCode: code, statusReasonText: text }: Pick<OrderRow, 'statusReasonCode' | 'statusReasonText'>
): StatusReason | null {
  if (code === null && text === null) return null
  return { code: code === null ? null : terminology.coding('order-status-reason', code, language), text }
}
