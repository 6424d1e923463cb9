import { addRelatedSubjects } from '../../device/store.js'
import type { Call } from '../../platform/auth/call.js'
import { loadExpanded } from '../../platform/rest/expand.js'
import { Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { orderNotFound } from '../change-order.js'
import { orderLineOf } from '../line.serialize.js'
import { type OrderExpansion, orderKinds } from '../lists/expand-orders.js'
import type { Order } from '../model/order.schemas.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderOf, toTraceLine } from '../serialize.js'
import { findOrderOfLines } from '../store/find-order.js'
import { loadOrderDetails } from '../store/load-details.js'
import { lineRevision, loadOrderSnapshot } from '../store/load-order.js'
import type { OrderRow } from '../store/tables.js'

export async function viewOrder(
  ports: Ports,
  call: Call,
  id: string,
  expansion?: OrderExpansion
): Promise<Versioned<Order & { expanded?: object }>> {
  const snapshot = await loadOrderSnapshot(ports, call, { id })
  if (!snapshot) throw orderNotFound()
  call.auditContext.addSubject(snapshot.order.patient, id)
  const order = orderOf(ports, call, snapshot)
  const expanded = expansion && { expanded: await loadExpansion(ports, call, snapshot.order, expansion) }
  return new Versioned({ ...order, ...expanded }, String(snapshot.order.revision))
}

/** `nested`: the order is a member. `flat`: the members of the order are at the root. */
type DetailsLayout = 'nested' | 'flat'

/**
 * Reads an order with its lines and its trace.
 * @throws Problem `not-found` when the caller may see no such order.
 */
export async function viewOrderDetails(
  ports: Ports,
  call: Call,
  id: string,
  layout: DetailsLayout,
  expansion?: OrderExpansion
): Promise<Versioned<object>> {
  const details = await loadOrderDetails(ports, call, id, expansion === undefined)
  if (!details) throw orderNotFound()
  const { order, lines, traces } = details
  call.auditContext.addSubject(order.patient, id)
  addRelatedSubjects(call, order.patient, lines)
  const shown = orderOf(ports, call, { order, lines })
  const members = {
    orderLines: lines.map((line) => orderLineOf(ports, call, order.status, line)),
    traceLines: traces.map((trace) => toTraceLine(ports, call, trace)),
    ...(expansion && { expanded: await loadExpansion(ports, call, order, expansion) })
  }
  const resource = layout === 'nested' ? { order: shown, ...members } : { ...shown, ...members }
  return new Versioned(resource, String(order.revision))
}

/** The resources that an order refers to, by their URLs. */
async function loadExpansion(ports: Ports, call: Call, order: OrderRow, expansion: OrderExpansion) {
  const kinds = await orderKinds(ports, call, [order], expansion)
  return JSON.parse(await loadExpanded(ports.resourceUrls, order, kinds)) as object
}

export async function viewOrderLine(ports: Ports, call: Call, id: string): Promise<Versioned<OrderLine>> {
  const [line] = await viewOrderLines(ports, call, [id])
  if (!line) throw orderNotFound()
  return line
}

/**
 * Reads lines of an order, in the order of `ids`. Ids that belong to no line of this order are left
 * out.
 */
export async function viewOrderLines(
  ports: Ports,
  call: Call,
  ids: readonly string[]
): Promise<Versioned<OrderLine>[]> {
  const snapshot = await loadOrderSnapshot(ports, call, await findOrderOfLines(ports.db, ids))
  if (!snapshot) throw orderNotFound()
  const { order } = snapshot
  const byId = new Map(snapshot.lines.map((line) => [line.id, line]))
  const lines = ids.flatMap((id) => byId.get(id) ?? [])
  if (lines.length > 0) call.auditContext.addSubject(order.patient, order.id)
  addRelatedSubjects(call, order.patient, lines)
  return lines.map((line) => new Versioned(orderLineOf(ports, call, order.status, line), lineRevision(line)))
}
