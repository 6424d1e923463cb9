import { partyKind } from '../agreement/kinds.js'
import type { Actor } from '../platform/actor.js'
import type { Ports } from '../ports.js'
import { orderNotFound } from './change.js'
import { loadOrder, loadOrderDetails, orderById } from './order.load.js'
import type { Order } from './order.schemas.js'
import type { ShownOrder } from './order.store.js'
import type { OrderLine } from './order-line.schemas.js'
import { lineOf } from './order-line.view.js'
import type { TraceLine } from './trace.schemas.js'
import { traceLineOf } from './trace.view.js'

/** @throws Problem `not-found` when the caller has no such order. */
export async function viewOrder(ports: Ports, actor: Actor, id: string): Promise<Order> {
  const snapshot = await loadOrder(ports.db, actor, orderById(id))
  if (!snapshot) throw orderNotFound()
  actor.trail.touch(snapshot.order.patient, id)
  return orderOf(ports, snapshot.order)
}

/** An order with its lines and its trace; in the flat form the order's members stand beside them. */
export type OrderDetails = { orderLines: OrderLine[]; traceLines: TraceLine[] } & ({ order: Order } | Order)

/** @throws Problem `not-found` when the caller has no such order. */
export async function viewOrderDetails(
  ports: Ports,
  actor: Actor,
  id: string,
  form: 'nested' | 'flat'
): Promise<OrderDetails> {
  const snapshot = await loadOrderDetails(ports.db, actor, id)
  if (!snapshot) throw orderNotFound()
  actor.trail.touch(snapshot.order.patient, id)
  const order = orderOf(ports, snapshot.order)
  const orderLines = snapshot.lines.map((line) => lineOf(ports, line))
  const traceLines = snapshot.traces.map((trace) => traceLineOf(ports, trace))
  return form === 'flat' ? { ...order, orderLines, traceLines } : { order, orderLines, traceLines }
}

/** The wire form of an order. */
export function orderOf(
  { references, terminology }: Pick<Ports, 'references' | 'terminology'>,
  row: ShownOrder
): Order {
  return {
    id: row.id,
    identifiers: row.identifiers,
    name: row.name,
    status: terminology.coding('order-status', row.status),
    priority: row.priority,
    notes: row.notes,
    buyer: references.url(partyKind, row.buyerId),
    seller: references.url(partyKind, row.sellerId),
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
  }
}
