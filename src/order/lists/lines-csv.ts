import { viewReadableItems } from '../../catalogue/item/readable-items.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import { hasPermission } from '../../platform/auth/caller.js'
import { csvRow } from '../../platform/rest/csv.js'
import { type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { findDeliveredItems } from '../lookup.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { orders } from '../store/tables.js'
import type { OrderLineFilters } from './line-filters.js'
import { parseLineQuery } from './lines.js'
import { findLines, type LinePosition, type ListedLine, positionIn } from './select-lines.js'

export const lineColumns = [
  ...['order', 'line', 'item', 'itemName', 'manufacturer', 'model'],
  ...['serialNumber', 'lotNumber', 'udi', 'expiryDate', 'from', 'until', 'endReason'],
  ...['receiverName', 'addressLine1', 'addressLine2', 'postalCode', 'postalDistrict'],
  ...['orderNumber', 'patientName', 'performedAt', 'receivedBy']
]

/**
 * Lists a page of order lines as rows of CSV, with their devices, items and receivers. Values that
 * the caller may not read elsewhere are empty.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLinesAsCsv(
  ports: Ports,
  call: Call,
  query: OrderLineFilters,
  request: PageRequest<LinePosition>
): Promise<Page<LinePosition>> {
  // `expand` has no effect, but must be valid.
  const [search] = parseLineQuery(ports, query)
  if (!search) return { entries: [], next: undefined }
  const rows = await findLines(ports, call, search, request)
  const page = await serializedPage(rows, request, positionIn(search), await rowsOf(ports, call, rows))
  for (const row of page.rows) call.auditContext.addSubject(row.patient, row.orderId)
  return page
}

/** Loads the resources of the rows. A line of a draft shows the present item of the catalogue. */
async function rowsOf(ports: Ports, call: Call, lines: readonly ListedLine[]) {
  const { resourceUrls } = ports
  const ofDrafts = lines.filter(({ orderedItem, device }) => !device && !orderedItem)
  const [items, orderById] = await Promise.all([
    viewReadableItems(
      ports,
      call,
      ofDrafts.map(({ itemId }) => itemId),
      findDeliveredItems
    ),
    loadOrders(ports, call, lines)
  ])
  const itemById = new Map(items.map((item) => [item.id, item]))
  return (line: ListedLine): Buffer => {
    const { device } = line
    const item = device?.model ?? line.orderedItem ?? itemById.get(line.itemId)
    const order = orderById.get(line.orderId)
    return csvRow([
      resourceUrls.url(orderResource, line.orderId),
      resourceUrls.url(orderLineResource, line.id),
      resourceUrls.url(itemResource, device?.itemId ?? line.itemId),
      item?.name,
      item?.manufacturer,
      item?.model,
      device?.serialNumber,
      device?.lotNumber,
      device?.udi?.replaceAll('\u001d', ' '),
      device?.expiryDate,
      device?.from.toISOString(),
      device?.until?.toISOString(),
      device?.endReason,
      order?.receiverName,
      order?.addressLine1,
      order?.addressLine2,
      order?.postalCode,
      order?.postalDistrict,
      order?.number,
      order?.patientName,
      line.performedAt?.toISOString(),
      line.receivedBy
    ])
  }
}

/** Orders that the caller has been shown, if it may read orders. */
async function loadOrders({ db }: Ports, call: Call, lines: readonly ListedLine[]) {
  const ids = lines.map(({ orderId }) => orderId)
  if (ids.length === 0 || !hasPermission(call.caller, 'Order.read')) return new Map<string, never>()
  const rows = await db
    .select({
      id: orders.id,
      number: orders.number,
      receiverName: orders.receiverName,
      addressLine1: orders.receiverAddressLine1,
      addressLine2: orders.receiverAddressLine2,
      postalCode: orders.receiverPostalCode,
      postalDistrict: orders.receiverPostalDistrict,
      patientName: orders.receiverPatientName
    })
    .from(orders)
    .where(inIds(orders.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}
