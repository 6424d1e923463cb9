import { isDeepStrictEqual } from 'node:util'
import { FieldErrors, fieldProblem } from '../../platform/errors/problem.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { eachField } from '../../platform/schemas/fields.js'
import type { Ports } from '../../ports.js'
import { addTrace, type OrderChange } from '../change/change-order.js'
import { type ChangeRule, inDraft, untilClosed } from '../model/change-rules.js'
import { changedReceiverMembers, changedWishMembers, orderFields } from '../model/order.fields.js'
import type { Order, PatchedOrder } from '../model/order.schemas.js'
import { orderProblem } from '../model/problems.js'
import {
  type CheckMore,
  type OrderContent,
  resolveLateContent,
  resolveOrderContent
} from './resolve-order-content.js'

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
 * Changes the content of an order to the result of a JSON Patch, if any of it differs.
 * @param patched the schema of the result.
 * @param check adds further errors, to report all of them at once.
 * @throws Problem `not-your-move`, `order-not-draft`, `order-closed`, and those of
 * {@link resolveOrderContent}.
 */
export async function changeContent(
  ports: Ports,
  change: OrderChange,
  before: Order,
  after: PatchedOrder,
  patched: PatchResultSchema<PatchedOrder>,
  check: CheckMore
): Promise<void> {
  const changed = contentMembers.filter((name) => !isDeepStrictEqual(after[name] ?? null, before[name]))
  if (changed.length === 0) return checkOnly(check)
  for (const name of changed) assertMayChange(change, name)
  patched.validateNormalized(after)
  const { patient, status } = change.order
  if (status !== 'DRAFT') return changeLate(change, after, check)
  const { columns } = await resolveOrderContent(ports, change.call, after, 'invalid-result', {
    currentPatient: patient,
    check
  })
  change.order = { ...change.order, ...columns }
}

function checkOnly(check: CheckMore): void {
  const errors = new FieldErrors()
  check(errors, {})
  errors.check()
}

/**
 * Changes what may change after the draft. Then the seller sees the order, so the trace says it.
 */
async function changeLate(change: OrderChange, after: PatchedOrder, check: CheckMore): Promise<void> {
  const columns = await resolveLateContent(after, 'invalid-result', check)
  if (columns.patient !== change.order.patient) assertAllowed(change, inDraft, '/receiver/patient')
  traceMembers(change, 'Receiver changed.', changedReceiverMembers(change.order, columns))
  traceMembers(change, 'Delivery wish changed.', changedWishMembers(change.order, columns))
  change.order = { ...change.order, ...columns }
}

/** Adds a trace line that names changed members without their values, which are about a person. */
function traceMembers(change: OrderChange, text: string, members: readonly string[]): void {
  if (members.length > 0) addTrace(change, { text, supplementaryText: `Changed: ${members.join(', ')}.` })
}

function assertMayChange(change: OrderChange, name: keyof OrderContent): void {
  const { by } = contentRules[name]
  const { call } = change
  if (call.caller.userType !== by)
    throw fieldProblem(orderProblem, 'not-your-move', `/${name}`, {
      en: `Only ${by} can change the content of an order.`,
      da: `Kun ${by} kan ændre indholdet af en bestilling.`
    })
  assertAllowed(change, contentRules[name], `/${name}`)
}

function assertAllowed(
  { order: { status } }: OrderChange,
  { allows, code, detail }: ChangeRule,
  pointer: string
): void {
  if (!allows(status))
    throw fieldProblem(orderProblem, code, pointer, {
      en: `The order is ${status}. ${detail.en}`,
      da: `Bestillingen er ${status}. ${detail.da}`
    })
}
