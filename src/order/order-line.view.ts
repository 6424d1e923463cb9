import { itemKind } from '../catalogue/kinds.js'
import type { Actor } from '../platform/actor.js'
import { problem } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import { orderKind } from './kinds.js'
import { type LineRow, loadOrder, orderOfLine } from './order.store.js'
import type { OrderLine } from './order-line.schemas.js'

export const orderLineNotFound = () => problem('not-found', 'There is no such order line.')

/** @throws Problem `not-found` when the caller has no order with such a line. */
export async function viewOrderLine(ports: Ports, actor: Actor, id: string): Promise<OrderLine> {
  const snapshot = await loadOrder(ports.db, actor, orderOfLine(id))
  const line = snapshot?.lines.find((each) => each.id === id)
  if (!line) throw orderLineNotFound()
  return lineOf(ports, line)
}

/** The wire form of an order line. */
export function lineOf(
  { references, terminology }: Pick<Ports, 'references' | 'terminology'>,
  row: LineRow
): OrderLine {
  return {
    id: row.id,
    order: references.url(orderKind, row.orderId),
    status: terminology.coding('order-line-status', row.status),
    item: references.url(itemKind, row.itemId),
    action: terminology.coding('order-line-action', row.action)
  }
}
