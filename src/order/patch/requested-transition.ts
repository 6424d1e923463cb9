import { isDeepStrictEqual } from 'node:util'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { writesTo } from '../../platform/json/json-patch.js'
import { resolveCode } from '../../terminology/known-code.js'
import { orderProblem } from '../texts.js'
import { type TransitionReason, transitionLine, transitionOrder } from '../transition.js'
import type { LinePatch, OrderPatch } from './steps.js'

type AnyPatch<S> = Omit<OrderPatch | LinePatch, 'transition'> & {
  transition?: { to: S; reason: TransitionReason | undefined }
}

/**
 * Makes the step that reads the transition that a JSON Patch requests. Returns `read-only`,
 * `unknown-coding`, `reason-not-allowed` and `invalid-result`.
 * @param reasoned the statuses for which a reason may be given.
 */
export const readTransition =
  <S extends string>(set: 'order-status' | 'order-line-status', reasoned: readonly S[]) =>
  (patch: AnyPatch<S>): FieldErrors => {
    const errors = new FieldErrors()
    const to = requestedStatus<S>(patch, errors, set)
    const reason = requestedReason(patch, errors, to, reasoned)
    if (to !== undefined) patch.transition = { to, reason }
    return errors
  }

/**
 * The status that a JSON Patch requests, or undefined when it does not set one. Any operation that
 * writes to `/status` or `/status/code` requests a transition, even to the current status.
 */
function requestedStatus<S extends string>(
  { ports, operations, before, after }: AnyPatch<S>,
  errors: FieldErrors,
  set: 'order-status' | 'order-line-status'
): S | undefined {
  const ofStatus = operations.filter((each) => writesTo(each, 'status'))
  if (ofStatus.length > 1) errors.add(orderProblem('read-only.statusTwice', '/status'))
  for (const { path } of ofStatus)
    if (/^\/status\/(?!code$)/.test(path)) errors.add(orderProblem('read-only.statusDisplay', path))
  const code = resolveCode(ports.terminology, errors, set, after.status, '/status') as S
  return ofStatus.length > 0 || code !== before.status.code ? code : undefined
}

/** The reason that a JSON Patch gives for its transition; undefined without a reason. */
function requestedReason<S extends string>(
  { ports: { terminology }, operations, before, after }: AnyPatch<S>,
  errors: FieldErrors,
  to: S | undefined,
  reasoned: readonly S[]
): TransitionReason | undefined {
  const pointer = '/statusReason'
  const [stored, given] = [before.statusReason ?? null, after.statusReason ?? null]
  const isWritten =
    operations.some((each) => writesTo(each, 'statusReason')) || !isDeepStrictEqual(given, stored)
  const isUseless = given === null && (to !== undefined || stored === null)
  if (!isWritten || isUseless) return undefined
  // An unknown status is already an error.
  const isAllowed = to !== undefined && (String(to) === '' || reasoned.includes(to))
  if (given === null || !isAllowed) {
    errors.add(orderProblem('reason-not-allowed', pointer))
    return undefined
  }
  const text = given.text ?? null
  if (given.code == null) {
    if (!text) errors.add(orderProblem('invalid-result.emptyReason', pointer))
    return { code: null, display: null, text }
  }
  const code = resolveCode(terminology, errors, 'order-status-reason', given.code, `${pointer}/code`)
  return { code, display: terminology.coding('order-status-reason', code).display ?? code, text }
}

export function changeStatus({ change, transition }: OrderPatch): undefined {
  if (transition) transitionOrder(change, transition.to, transition.reason)
}

export function changeLineStatus({ change, line, transition }: LinePatch): undefined {
  if (transition) transitionLine(change, line, transition.to, transition.reason)
}
