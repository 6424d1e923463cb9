import { coding } from './codings.js'
import { itemUrl, orderLineUrl, orderUrl, partyUrl } from './references.js'

interface OrderRow {
  id: string
  identifiers: unknown
  name: string | null
  status: string
  priority: boolean
  notes: unknown
  buyerId: string
  sellerId: string
  receiverName: string
  receiverAddressLine1: string | null
  receiverAddressLine2: string | null
  receiverPostalCode: string | null
  receiverPostalDistrict: string | null
  receiverEmail: string | null
  receiverPhone: string | null
  patient: string
}

interface LineRow {
  id: string
  orderId: string
  itemId: string
  status: string
  action: string
}

interface TraceRow {
  id: string
  orderId: string
  timestamp: Date
  createdByOrganization: string
  text: string
  supplementaryText: string
  orderLineId: string | null
  oldStatus: string | null
  newStatus: string | null
}

/** The wire form of an order with its lines and its trace. */
export const detailsOf = (row: OrderRow & { lines: LineRow[]; traceLines: TraceRow[] }) => ({
  order: orderOf(row),
  orderLines: row.lines.map(lineOf),
  traceLines: row.traceLines.map(traceLineOf)
})

/** The wire form of an order. */
export const orderOf = (row: OrderRow) => ({
  id: row.id,
  identifiers: row.identifiers,
  name: row.name,
  status: coding('order-status', row.status),
  priority: row.priority,
  notes: row.notes,
  buyer: partyUrl(row.buyerId),
  seller: partyUrl(row.sellerId),
  receiver: {
    name: row.receiverName,
    addressLine1: row.receiverAddressLine1,
    addressLine2: row.receiverAddressLine2,
    postalCode: row.receiverPostalCode,
    postalDistrict: row.receiverPostalDistrict,
    email: row.receiverEmail,
    phone: row.receiverPhone,
    patient: row.patient
  }
})

const lineOf = (row: LineRow) => ({
  id: row.id,
  order: orderUrl(row.orderId),
  status: coding('order-line-status', row.status),
  item: itemUrl(row.itemId),
  action: coding('order-line-action', row.action)
})

function traceLineOf(row: TraceRow) {
  const order = orderUrl(row.orderId)
  const orderLine = row.orderLineId && orderLineUrl(row.orderLineId)
  const status = (code: string) => coding(orderLine ? 'order-line-status' : 'order-status', code)
  return {
    id: row.id,
    timestamp: row.timestamp.toISOString(),
    createdByOrganization: row.createdByOrganization,
    text: row.text,
    supplementaryText: row.supplementaryText,
    order,
    orderLine,
    statusChange:
      row.oldStatus && row.newStatus
        ? { subject: orderLine ?? order, oldStatus: status(row.oldStatus), newStatus: status(row.newStatus) }
        : null
  }
}
