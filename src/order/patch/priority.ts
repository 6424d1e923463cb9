import type { Problem } from '../../platform/errors/problem.js'
import { addTrace, changedValueText } from '../change.js'
import { untilClosed } from '../model/order.fields.js'
import { forbiddenChange } from './content.js'
import type { OrderPatch } from './steps.js'

/**
 * Changes the priority, which the buyer may do until the order is closed. Returns `not-your-move`
 * and `order-closed`.
 */
export function changePriority({ change, after }: OrderPatch): Problem | undefined {
  const { priority: before } = change.order
  const priority = after.priority ?? false
  if (priority === before) return
  const problem = forbiddenChange(change, 'priority', untilClosed)
  if (problem) return problem
  change.order = { ...change.order, priority }
  addTrace(change, { code: 'order-priority-changed', supplementaryText: changedValueText(before, priority) })
}
