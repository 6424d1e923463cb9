import { addRelatedSubjects } from '../../device/load-devices.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { lineRevision, loadOrderSnapshot } from '../store/load-order.js'
import { orderOfLine } from '../store/visibility.js'
import { orderLineOf } from '../view.js'

export const orderLineNotFound = () => problem('not-found')

/**
 * Reads an order line.
 * @throws Problem `not-found` when no order that the caller may see has such a line.
 */
export async function viewOrderLine(ports: Ports, call: Call, id: string): Promise<Versioned<OrderLine>> {
  const snapshot = await loadOrderSnapshot(ports, call, orderOfLine(id))
  const line = snapshot?.lines.find((each) => each.id === id)
  if (!line || !snapshot) throw orderLineNotFound()
  call.auditContext.addSubject(snapshot.order.patient, line.orderId)
  addRelatedSubjects(call, snapshot.order.patient, [line])
  return new Versioned(orderLineOf(ports, call, snapshot.order.status, line), lineRevision(line))
}
