import type { Problem } from '../../platform/errors/problem.js'
import { addTrace, oldAndNew } from '../change.js'
import { untilClosed } from '../model/order.fields.js'
import { orderProblem } from '../texts.js'
import type { OrderPatch } from './steps.js'

/**
 * Changes the priority, which the buyer may do until the order is closed. Returns `not-your-move`
 * and `order-closed`.
 */
export function changePriority({ change, after }: OrderPatch): Problem | undefined {
  const { priority: before, status } = change.order
  const priority = after.priority ?? false
  if (priority === before) return
  const { by, allows } = untilClosed
  if (change.call.caller.userType !== by)
    return orderProblem('not-your-move.member', '/priority', { userType: by })
  if (!allows(status)) return orderProblem('order-closed.member', '/priority', { status })
  change.order = { ...change.order, priority }
  addTrace(change, { code: 'order-priority-changed', supplementaryText: oldAndNew(before, priority) })
}
