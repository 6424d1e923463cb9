import type { Call } from '../platform/auth/call.js'
import { hasPermission } from '../platform/auth/caller.js'
import type { Ports } from '../ports.js'
import { attentionOf } from './attention.js'
import type { Order } from './model/order.schemas.js'
import type { OrderLine } from './model/order-line.schemas.js'
import { allowedLineStatuses, allowedStatuses, type LineStatus, type OrderStatus } from './model/states.js'
import { toOrder, toOrderLine } from './serialize.js'
import type { LineRow, OrderRow, ShownLine } from './store/tables.js'

/* Orders and lines in single reads, with the statuses that the caller may set. */

/** An order with its lines, as the caller reads it. The lines of a closed order have no effect. */
export const orderOf = (
  ports: Ports,
  call: Call,
  { order, lines }: { order: OrderRow; lines: readonly Pick<LineRow, 'status'>[] }
): Order =>
  toOrder(ports, call, order, {
    attention: attentionOf(order, ports.now()),
    allowedStatuses: orderTransitionsOf(call, order.status, lines)
  })

/** A line of an order with this status, as the caller reads it. */
export const orderLineOf = (ports: Ports, call: Call, orderStatus: OrderStatus, line: ShownLine): OrderLine =>
  toOrderLine(ports, call, line, { allowedStatuses: lineTransitionsOf(call, orderStatus, line.status) })

const orderTransitionsOf = (call: Call, status: OrderStatus, lines: readonly { status: LineStatus }[]) =>
  hasPermission(call.caller, 'Order.update') ? allowedStatuses(status, lines, call.caller.userType) : []

const lineTransitionsOf = (call: Call, order: OrderStatus, line: LineStatus) =>
  hasPermission(call.caller, 'OrderLine.update') ? allowedLineStatuses(order, line, call.caller.userType) : []
