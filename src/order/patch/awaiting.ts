import type { UserType } from '../../platform/auth/caller.js'
import type { Problem } from '../../platform/errors/problem.js'
import { writesTo } from '../../platform/json/json-patch.js'
import { setAwaiting } from '../change.js'
import { isClosed, isWithSeller, type OrderStatus } from '../model/states.js'
import { orderProblem } from '../texts.js'
import type { OrderPatch } from './steps.js'

/** The side that users of a type act for, as a value of `awaiting`. */
const sides: Partial<Record<UserType, 'BUYER' | 'SELLER'>> = {
  MonitoringResponsible: 'BUYER',
  Provider: 'SELLER'
}

/**
 * Sets or clears the side whose answer the order awaits. A new note of that side clears the member,
 * unless the JSON Patch sets it, also to its present value. Runs after the transition, which clears
 * the member when it closes the order. Returns `not-your-move`, `order-closed` and
 * `awaiting-not-allowed`.
 */
export function changeAwaiting({ change, operations, before, after }: OrderPatch): Problem | undefined {
  const { awaiting: stored, status } = change.snapshot.order
  const awaiting = after.awaiting ?? null
  const own = sides[change.call.caller.userType]
  const hasNewNote = (after.notes?.length ?? 0) > before.notes.length
  if (awaiting !== null && awaiting !== stored) {
    const problem = awaitingProblem(status, awaiting !== own, hasNewNote)
    if (!problem && isWithSeller(change.order.status)) setAwaiting(change, awaiting)
    return problem
  }
  const isSet = operations.some((each) => writesTo(each, 'awaiting'))
  const isAnswered = hasNewNote && stored === own && !isSet
  if (awaiting === null || isAnswered) setAwaiting(change, null)
}

function awaitingProblem(
  status: OrderStatus,
  isOfOtherSide: boolean,
  hasNewNote: boolean
): Problem | undefined {
  const pointer = '/awaiting'
  if (!isOfOtherSide) return orderProblem('not-your-move.awaiting', pointer)
  if (isClosed(status)) return orderProblem('order-closed.status', pointer, { status })
  return isWithSeller(status) && hasNewNote ? undefined : orderProblem('awaiting-not-allowed', pointer)
}
