import { transitionLine, transitionOrder } from '../transition.js'
import type { LinePatch, OrderPatch } from './steps.js'

/**
 * Makes the transition of an order that the JSON Patch requests.
 * @throws Problem as {@link transitionOrder}.
 */
export function changeStatus({ change, transition }: OrderPatch): undefined {
  if (transition) transitionOrder(change, transition.to, transition.reason)
}

/**
 * Makes the transition of a line that the JSON Patch requests.
 * @throws Problem as {@link transitionLine}.
 */
export function changeLineStatus({ change, line, transition }: LinePatch): undefined {
  if (transition) transitionLine(change, line, transition.to, transition.reason)
}
