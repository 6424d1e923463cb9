import { isDeepStrictEqual } from 'node:util'
import { fieldProblem } from '../../platform/errors/problem.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change/change-order.js'
import { type ChangeRule, inDraft } from '../model/change-rules.js'
import { eachField } from '../model/fields.js'
import { orderFields } from '../model/order.fields.js'
import type { Order, PatchedOrder } from '../model/order.schemas.js'
import { orderProblem } from '../model/problems.js'
import { type OrderContent, resolveOrderContent } from './resolve-order-content.js'

/** When each member of the content may change. A member without a rule does not compile. */
const contentRules: Readonly<Record<keyof OrderContent, ChangeRule>> = {
  identifiers: inDraft,
  ...eachField(orderFields, ({ change }) => change),
  buyer: inDraft,
  seller: inDraft,
  receiver: inDraft
}
const contentMembers = Object.keys(contentRules) as (keyof OrderContent)[]

/**
 * Changes the content of an order to the result of a JSON Patch, if any of it differs.
 * @param patched the schema of the result.
 * @throws Problem `not-your-move`, `order-not-draft`, `order-closed`, and those of
 * {@link resolveOrderContent}.
 */
export async function changeContent(
  ports: Ports,
  change: OrderChange,
  before: Order,
  after: PatchedOrder,
  patched: PatchResultSchema<PatchedOrder>
): Promise<void> {
  const changed = contentMembers.filter((name) => !isDeepStrictEqual(after[name], before[name]))
  if (changed.length === 0) return
  for (const name of changed) assertMayChange(change, name)
  patched.validateNormalized(after)
  const { patient } = change.order
  const { columns } = await resolveOrderContent(ports, change.actor, after, 'invalid-result', {
    currentPatient: patient
  })
  change.order = { ...change.order, ...columns }
}

function assertMayChange({ actor, order: { status } }: OrderChange, name: keyof OrderContent): void {
  const { by, allows, code, detail } = contentRules[name]
  if (actor.userType !== by)
    throw fieldProblem(
      orderProblem,
      'not-your-move',
      `/${name}`,
      `Only ${by} can change the content of an order.`
    )
  if (!allows(status)) throw fieldProblem(orderProblem, code, `/${name}`, `The order is ${status}. ${detail}`)
}
