import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../platform/auth/call.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import { hasSource, type Operation, readOnlyProblem } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import { withoutTrailingSlash } from '../../platform/util/resource-urls.js'
import type { Ports } from '../../ports.js'
import { assertOrderable, concerns } from '../change/assert-orderable.js'
import {
  addTrace,
  changeOrderWithRetry,
  type OrderChange,
  oldAndNew,
  organizationName
} from '../change/change-order.js'
import { type TransitionReason, transitionOrder } from '../change/transition.js'
import { untilClosed } from '../model/change-rules.js'
import { type Order, type PatchedOrder, readOnlyMembers } from '../model/order.schemas.js'
import type { OrderStatus } from '../model/order.state.js'
import { orderProblem } from '../model/problems.js'
import { orderLineResource } from '../model/resources.js'
import { reasonedOrderStatuses } from '../model/status-reason.schemas.js'
import { orderOf } from '../queries/view-order.js'
import type { LineRow } from '../store/tables.js'
import { orderById } from '../store/visibility.js'
import { changeAwaiting } from './awaiting.js'
import { changeContent } from './change-content.js'
import { checkNotesWithinLimits, draftNotes, withAppendedNotes } from './notes.js'
import { patientCheck } from './patient-check.js'
import { requestedReason } from './requested-reason.js'
import { requestedStatus } from './requested-status.js'

/**
 * Applies a JSON Patch to an order as GET returns it, all or nothing. An operation on `/status` is
 * a status transition. Content can only change in a DRAFT. Notes of a submitted order can only be
 * appended to.
 * @param patched the schema of a valid result.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrder(
  ports: Ports,
  call: Call,
  id: string,
  patch: readonly Operation[],
  patched: PatchResultSchema<PatchedOrder>
): Promise<void> {
  const operations = patch.map(withCurrentNames)
  const assertPatient = patientCheck(ports, call)
  await changeOrderWithRetry(ports, call, orderById(id), async (change) => {
    assertRevision(call, () => String(change.snapshot.order.revision))
    const before = orderOf(ports, call, change.snapshot)
    const applied = applyPatch(before, operations, patched, ports.limits.body, [
      'status',
      'statusReason',
      'priority'
    ])
    const after = withNormalizedReferences(applied)
    for (const name of readOnly)
      if (after[name] !== before[name] && !isDeepStrictEqual(after[name], before[name]))
        throw readOnlyProblem(`/${name}`)
    const target = requestedStatus<OrderStatus>(
      ports.terminology,
      'order-status',
      operations,
      before.status,
      after.status
    )
    const reasons = { before: before.statusReason, after: after.statusReason }
    const reason = requestedReason(ports.terminology, operations, reasons, target, reasonedOrderStatuses)
    await changeContent(ports, change, before, after, patched, (errors) =>
      changeNotes(errors, ports, change, before, after)
    )
    changePriority(change, after.priority ?? false)
    if (target !== undefined) await applyTransition(ports, change, target, reason)
    changeAwaiting(change, before, after)
    await assertPatient(change)
  })
}

const readOnly = ['id', ...Object.keys(readOnlyMembers)] as ('id' | keyof typeof readOnlyMembers)[]

/** The order with its references as GET returns them: a trailing slash is no change. */
function withNormalizedReferences(order: PatchedOrder): PatchedOrder {
  const { buyer, seller, receiver } = order
  const { patient } = receiver
  return {
    ...order,
    buyer: withoutTrailingSlash(buyer),
    seller: withoutTrailingSlash(seller),
    receiver: patient ? { ...receiver, patient: withoutTrailingSlash(patient) } : receiver
  }
}

/** Maps the earlier names of a receiver's members to the current ones. */
function withCurrentNames(operation: Operation): Operation {
  const current = (path: string) =>
    path
      .replace(/^\/receiver\/addressLine 1$/, '/receiver/addressLine1')
      .replace(/^\/receiver\/clinicalRef$/, '/receiver/patient')
  const from = hasSource(operation) ? { from: current(operation.from) } : {}
  return withNormalizedTest({ ...operation, path: current(operation.path), ...from })
}

/** Removes the trailing slash of a reference that a `test` operation compares. */
const withNormalizedTest = (operation: Operation): Operation =>
  operation.op === 'test' &&
  ['/receiver/patient', '/buyer', '/seller'].includes(operation.path) &&
  typeof operation.value === 'string'
    ? { ...operation, value: withoutTrailingSlash(operation.value) }
    : operation

function changeNotes(
  errors: FieldErrors,
  { limits }: Ports,
  change: OrderChange,
  before: Order,
  after: PatchedOrder
): void {
  if (isDeepStrictEqual(after.notes, before.notes)) return
  const author = {
    call: change.call,
    organization: organizationName(change.call, change.snapshot),
    at: change.at
  }
  const notes =
    change.order.status === 'DRAFT'
      ? draftNotes(after.notes, author)
      : withAppendedNotes(before.notes, after.notes, author, errors)
  checkNotesWithinLimits(errors, before.notes, notes, limits)
  change.order = { ...change.order, notes }
}

function changePriority(change: OrderChange, priority: boolean): void {
  const before = change.order.priority
  if (priority === before) return
  if (change.call.caller.userType !== untilClosed.by)
    throw orderProblem('not-your-move', {
      en: `Only ${untilClosed.by} can change the priority.`,
      da: `Kun ${untilClosed.by} kan ændre prioriteten.`
    })
  if (!untilClosed.allows(change.order.status))
    throw orderProblem(untilClosed.code, {
      en: `The order is ${change.order.status}. Its priority can no longer change.`,
      da: `Bestillingen er ${change.order.status}. Prioriteten kan ikke længere ændres.`
    })
  change.order = { ...change.order, priority }
  addTrace(change, { text: 'Order priority changed.', supplementaryText: oldAndNew(before, priority) })
}

async function applyTransition(
  ports: Ports,
  change: OrderChange,
  target: OrderStatus,
  reason: TransitionReason | undefined
): Promise<void> {
  transitionOrder(change, target, reason)
  if (target !== 'SUBMITTED') return
  const pointer = '/status'
  const locate = ({ id }: LineRow, member: string) => ({
    pointer,
    resource: { url: ports.resourceUrls.url(orderLineResource, id), pointer: member }
  })
  await assertOrderable(ports, change.call, change.order, change.lines, {
    obstacle: (obstacle) =>
      obstacle.itemId === undefined
        ? [{ pointer }]
        : change.lines.filter((line) => concerns(obstacle, line)).map((line) => locate(line, '/item')),
    relation: (line) => locate(line, '/relatedTo')
  })
}
