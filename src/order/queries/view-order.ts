import type { Actor } from '../../platform/auth/actor.js'
import { RawJson } from '../../platform/json/raw-json.js'
import type { Ports } from '../../ports.js'
import { orderNotFound } from '../change/change-order.js'
import type { Order } from '../model/order.schemas.js'
import { type DetailsLayout, loadOrderDetails, loadOrderSnapshot } from '../store/load-order.js'
import { orderSerializers } from '../store/serializers.js'
import { orderById } from '../store/visibility.js'

/**
 * Reads an order.
 * @throws Problem `not-found` when the caller may see no such order.
 */
export async function viewOrder(ports: Ports, actor: Actor, id: string): Promise<Order> {
  const snapshot = await loadOrderSnapshot(ports, actor, orderById(id))
  if (!snapshot) throw orderNotFound()
  actor.auditContext.addSubject(snapshot.order.patient, id)
  return orderSerializers(ports).order.toJson(snapshot.order)
}

/**
 * Reads an order with its lines and its trace.
 * @throws Problem `not-found` when the caller may see no such order.
 */
export async function viewOrderDetails(
  ports: Ports,
  actor: Actor,
  id: string,
  form: DetailsLayout
): Promise<RawJson> {
  const details = await loadOrderDetails(ports, actor, id, form)
  if (!details) throw orderNotFound()
  actor.auditContext.addSubject(details.patient, id)
  return new RawJson(details.json)
}
