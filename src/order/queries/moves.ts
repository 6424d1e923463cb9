import { hasPermission } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { allowedLineStatuses, allowedStatuses } from '../change/transition.js'
import type { OrderStatus } from '../model/order.state.js'
import type { LineStatus } from '../model/order-line.state.js'

/** The statuses to which the caller can move an order with these lines. */
export const movesOf = (call: Call, status: OrderStatus, lines: readonly { status: LineStatus }[]) =>
  hasPermission(call.caller, 'Order.update') ? allowedStatuses(status, lines, call.caller.userType) : []

/** The statuses to which the caller can move a line of an order. */
export const lineMovesOf = (call: Call, order: OrderStatus, line: LineStatus) =>
  hasPermission(call.caller, 'OrderLine.update') ? allowedLineStatuses(order, line, call.caller.userType) : []
