import { isDeepStrictEqual } from 'node:util'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import { eachField } from '../../platform/schemas/fields.js'
import { addTrace, changedNamesText, type OrderChange } from '../change.js'
import { type OrderContent, resolveLateContent, resolveOrderContent } from '../content.js'
import {
  type ChangeRule,
  changedReceiverMembers,
  changedWishMembers,
  inDraft,
  orderFields,
  untilClosed
} from '../model/order.fields.js'
import type { TraceCode } from '../model/trace-texts.js'
import { orderProblem } from '../texts.js'
import type { OrderPatch } from './steps.js'

/** When each member of the content may change. A member without a rule does not compile. */
const contentRules: Readonly<Record<keyof OrderContent, ChangeRule>> = {
  identifiers: inDraft,
  ...eachField(orderFields, ({ change }) => change),
  buyer: inDraft,
  seller: inDraft,
  receiver: untilClosed
}
const contentMembers = Object.keys(contentRules) as (keyof OrderContent)[]

/**
 * Changes the content of the order. Returns `not-your-move`, `order-not-draft`, `order-closed`, and
 * the errors of {@link resolveOrderContent}.
 * @throws Problem `invalid-result` for a text that is too long after normalization.
 */
export async function changeContent(patch: OrderPatch): Promise<FieldErrors> {
  const { ports, change, before, after } = patch
  const errors = new FieldErrors()
  const changed = contentMembers.filter((name) => !isDeepStrictEqual(after[name] ?? null, before[name]))
  // Rejected before any lookup, because the response must not disclose which resources exist.
  const forbidden = changed.flatMap((name) => forbiddenChange(change, name, contentRules[name]) ?? [])
  for (const problem of forbidden) errors.add(problem)
  if (changed.length === 0 || forbidden.length > 0) return errors
  patch.validateNormalized(after)
  if (change.order.status !== 'DRAFT') return changeLate(patch, errors)
  const { patient } = change.order
  const { columns } = await resolveOrderContent(ports, change.call, errors, after, 'invalid-result', patient)
  change.order = { ...change.order, ...columns }
  return errors
}

/**
 * Changes the members that may change after the draft. The seller sees the order, so a trace line
 * is added.
 */
async function changeLate({ change, after }: OrderPatch, errors: FieldErrors): Promise<FieldErrors> {
  const columns = await resolveLateContent(errors, after)
  traceMembers(change, 'receiver-changed', changedReceiverMembers(change.order, columns))
  traceMembers(change, 'delivery-wish-changed', changedWishMembers(change.order, columns))
  change.order = { ...change.order, ...columns }
  return errors
}

/** Rejects another patient after the draft. Returns `order-not-draft`. */
export function rejectLatePatient({ change: { order, snapshot } }: OrderPatch): Problem | undefined {
  const { patient, status } = snapshot.order
  const isChanged = status !== 'DRAFT' && order.patient !== patient
  return isChanged ? orderProblem(inDraft.problem, '/receiver/patient', { status }) : undefined
}

/** Adds a trace line that names changed members without their values, which are about a person. */
function traceMembers(change: OrderChange, code: TraceCode, members: readonly string[]): void {
  if (members.length > 0) addTrace(change, { code, supplementaryText: changedNamesText(members) })
}

/** The problem of a change that only the buyer may make, and only in some statuses. */
export function forbiddenChange(
  { call, order: { status } }: OrderChange,
  name: keyof OrderContent | 'priority',
  { allows, problem }: ChangeRule
): Problem | undefined {
  if (call.caller.userType !== 'MonitoringResponsible')
    return orderProblem('not-your-move.member', `/${name}`, { userType: 'MonitoringResponsible' })
  return allows(status) ? undefined : orderProblem(problem, `/${name}`, { status })
}
