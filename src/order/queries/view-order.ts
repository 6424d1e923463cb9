import type { Call } from '../../platform/auth/call.js'
import { RawJson } from '../../platform/json/raw-json.js'
import { loadExpanded } from '../../platform/rest/expand.js'
import { Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { orderNotFound } from '../change/change-order.js'
import type { Order } from '../model/order.schemas.js'
import { loadOrderDetails } from '../store/load-details.js'
import { loadOrderSnapshot, type OrderSnapshot } from '../store/load-order.js'
import { orderSerializers } from '../store/serializers.js'
import type { LineRow } from '../store/tables.js'
import { orderById } from '../store/visibility.js'
import { type OrderExpansion, orderKinds } from './expand-orders.js'
import { lineMovesOf, movesOf } from './moves.js'

/**
 * Reads an order.
 * @throws Problem `not-found` when the caller may see no such order.
 */
export async function viewOrder(
  ports: Ports,
  call: Call,
  id: string,
  expansion?: OrderExpansion
): Promise<Versioned<Order & { expanded?: object }>> {
  const snapshot = await loadOrderSnapshot(ports, call, orderById(id))
  if (!snapshot) throw orderNotFound()
  call.auditContext.addSubject(snapshot.order.patient, id)
  const order = orderOf(ports, call, snapshot)
  const revision = String(snapshot.order.revision)
  if (!expansion) return new Versioned(order, revision)
  const { json } = await loadExpanded(ports.resourceUrls, await orderKinds(ports, call, [id], expansion))
  return new Versioned({ ...order, expanded: JSON.parse(json.toString()) }, revision)
}

/** An order with its lines, as the caller reads it. The lines of a closed order do not matter. */
export const orderOf = (
  ports: Ports,
  call: Call,
  {
    order,
    lines,
    attention
  }: Pick<OrderSnapshot, 'order' | 'attention'> & { lines: readonly Pick<LineRow, 'status'>[] }
): Order =>
  Object.assign(orderSerializers(ports).order.toJson(order), {
    attention,
    allowedStatuses: movesOf(call, order.status, lines)
  })

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
): Promise<Versioned<RawJson>> {
  const details = await loadOrderDetails(ports, call, id, expansion === undefined)
  if (!details) throw orderNotFound()
  const { patient, facts, relatedOrders, revision, json } = details
  call.auditContext.addSubjects([id, ...relatedOrders].map((order) => ({ patient, order })))
  const isNested = layout === 'nested'
  const moves = JSON.stringify(facts ? movesOf(call, facts.status, facts.lines) : [])
  const lines = json.lines.flatMap((text, at) => {
    const status = facts?.lines[at]?.status
    const moves = facts && status ? lineMovesOf(call, facts.status, status) : []
    return [
      Buffer.from(at === 0 ? '' : ','),
      text,
      Buffer.from(`,"allowedStatuses":${JSON.stringify(moves)}}`)
    ]
  })
  const parts = [
    Buffer.from(isNested ? '{"order":' : ''),
    json.order,
    Buffer.from(',"attention":'),
    json.attention,
    Buffer.from(`,"allowedStatuses":${moves}${isNested ? '}' : ''},"orderLines":[`),
    ...lines,
    Buffer.from('],"traceLines":['),
    json.traces,
    Buffer.from(']')
  ]
  if (expansion) {
    const more = await loadExpanded(ports.resourceUrls, await orderKinds(ports, call, [id], expansion))
    parts.push(Buffer.from(',"expanded":'), more.json)
  }
  return new Versioned(new RawJson(Buffer.concat([...parts, Buffer.from('}')])), revision)
}
