import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/auth/actor.js'
import { fieldProblem } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import { hasSource, type Operation, readOnly } from '../../platform/json/json-patch.js'
import type { CompiledSchema } from '../../platform/json/validation.js'
import { withoutTrailingSlash } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { assertOrderable } from '../change/assert-orderable.js'
import {
  addTrace,
  changeOrder,
  type OrderChange,
  oldAndNew,
  organizationName
} from '../change/change-order.js'
import { transitionOrder } from '../change/transition.js'
import type { Order, PatchedOrder } from '../model/order.schemas.js'
import { isClosed, type OrderStatus } from '../model/order.state.js'
import { orderProblem } from '../model/problems.js'
import { orderLineKind } from '../model/resources.js'
import { orderSerializers } from '../store/serializers.js'
import { orderById } from '../store/visibility.js'
import { appendedNotes, assertFewNotes, draftNotes } from './notes.js'
import { toColumns } from './order-columns.js'
import { patientCheck } from './patient-check.js'
import { requestedStatus } from './requested-status.js'

/**
 * Applies a JSON Patch to an order as GET answers it. An operation on `/status` is a move; content changes in a DRAFT alone;
 * notes of a submitted order can only be added to. All of it takes effect, or nothing.
 * @param patched what the patch may leave behind.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrder(
  ports: Ports,
  actor: Actor,
  id: string,
  patch: readonly Operation[],
  patched: CompiledSchema<PatchedOrder>
): Promise<void> {
  const operations = patch.map(withPresentNames)
  const assertPatient = patientCheck(ports, actor)
  await changeOrder(ports, actor, orderById(id), async (change) => {
    const before = orderSerializers(ports).order.toJson(change.order)
    const applied = applyPatch(before, operations, patched, ports.limits.body, ['status', 'priority'])
    const after = withPlainReferences(applied)
    if (after.id !== before.id) throw readOnly('/id')
    const target = requestedStatus<OrderStatus>(
      ports.terminology,
      'order-status',
      operations,
      before.status,
      after.status
    )
    await changeContent(ports, change, before, after, patched)
    changeNotes(ports, change, before, after)
    changePriority(change, after.priority ?? false)
    if (target !== undefined) await move(ports, change, target)
    await assertPatient(change)
  })
}

/** The order with its references as GET answers them: one that only ends with a slash more is no change. */
function withPlainReferences(order: PatchedOrder): PatchedOrder {
  const { buyer, seller, receiver } = order
  const { patient } = receiver
  return {
    ...order,
    buyer: withoutTrailingSlash(buyer),
    seller: withoutTrailingSlash(seller),
    receiver: patient ? { ...receiver, patient: withoutTrailingSlash(patient) } : receiver
  }
}

/** Members of a receiver may be patched under their earlier names as well. */
function withPresentNames(operation: Operation): Operation {
  const present = (path: string) =>
    path
      .replace(/^\/receiver\/addressLine 1$/, '/receiver/addressLine1')
      .replace(/^\/receiver\/clinicalRef$/, '/receiver/patient')
  const from = hasSource(operation) ? { from: present(operation.from) } : {}
  return plainTest({ ...operation, path: present(operation.path), ...from })
}

/** A test compares a reference without the slash that it may end with. */
const plainTest = (operation: Operation): Operation =>
  operation.op === 'test' &&
  ['/receiver/patient', '/buyer', '/seller'].includes(operation.path) &&
  typeof operation.value === 'string'
    ? { ...operation, value: withoutTrailingSlash(operation.value) }
    : operation

async function changeContent(
  ports: Ports,
  change: OrderChange,
  before: Order,
  after: PatchedOrder,
  patched: CompiledSchema<PatchedOrder>
): Promise<void> {
  const members = ['identifiers', 'name', 'buyer', 'seller', 'receiver'] as const
  const changed = members.find((name) => !isDeepStrictEqual(after[name], before[name]))
  if (changed === undefined) return
  if (change.actor.userType !== 'MonitoringResponsible')
    throw fieldProblem(
      orderProblem,
      'not-your-move',
      `/${changed}`,
      'What an order asks for is changed by MonitoringResponsible.'
    )
  if (change.order.status !== 'DRAFT')
    throw fieldProblem(
      orderProblem,
      'order-not-draft',
      `/${changed}`,
      `It can change in a DRAFT alone; the order is ${change.order.status}.`
    )
  patched.conformGrown(after)
  const { patient } = change.order
  const { columns } = await toColumns(ports, change.actor, after, 'invalid-result', patient)
  change.order = { ...change.order, ...columns }
}

function changeNotes({ limits }: Ports, change: OrderChange, before: Order, after: PatchedOrder): void {
  if (isDeepStrictEqual(after.notes, before.notes)) return
  const author = {
    actor: change.actor,
    organization: organizationName(change.actor, change.snapshot),
    at: change.at
  }
  const notes =
    change.order.status === 'DRAFT'
      ? draftNotes(after.notes, author)
      : appendedNotes(before.notes, after.notes, author)
  assertFewNotes(before.notes, notes, limits)
  change.order = { ...change.order, notes }
}

function changePriority(change: OrderChange, priority: boolean): void {
  const before = change.order.priority
  if (priority === before) return
  if (change.actor.userType !== 'MonitoringResponsible')
    throw orderProblem('not-your-move', 'The priority is changed by MonitoringResponsible.')
  if (isClosed(change.order.status))
    throw orderProblem(
      'order-closed',
      `The order is ${change.order.status}; its priority cannot change any more.`
    )
  change.order = { ...change.order, priority }
  addTrace(change, { text: 'Order priority changed.', supplementaryText: oldAndNew(before, priority) })
}

async function move(ports: Ports, change: OrderChange, target: OrderStatus): Promise<void> {
  transitionOrder(change, target)
  if (target !== 'SUBMITTED') return
  await assertOrderable(ports, change.order, change.lines, ({ itemId }) => ({
    pointer: '/status',
    about: change.lines
      .filter((line) => line.itemId === itemId)
      .map((line) => `${ports.references.url(orderLineKind, line.id)}: `)
      .join('')
  }))
}
