import type { Call } from '../../platform/auth/call.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import { hasSource, type Operation } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { changeOrder } from '../change-order.js'
import { orderReferences } from '../content.js'
import { readOnlyNames } from '../model/order.fields.js'
import type { PatchedOrder } from '../model/order.schemas.js'
import { reasonedOrderStatuses } from '../model/states.js'
import { withCanonicalReferences, withCanonicalTest } from '../references.js'
import { orderOf } from '../serialize.js'
import { changeAwaiting } from './awaiting.js'
import { changeContent, rejectLatePatient } from './content.js'
import { changeNotes } from './notes.js'
import { changePriority } from './priority.js'
import { changeStatus, readTransition } from './requested-transition.js'
import { type OrderPatch, type PatchStep, rejectChangesOf, runSteps } from './steps.js'
import { checkOrderable, checkPatient } from './submission.js'

/** The rules of a JSON Patch of an order, in this sequence. */
const orderSteps: readonly PatchStep<OrderPatch>[] = [
  { run: rejectChangesOf('id', ...readOnlyNames) },
  { run: readTransition('order-status', reasonedOrderStatuses) },
  { run: changeContent },
  { run: changeNotes },
  { run: rejectLatePatient },
  { run: changePriority },
  { run: changeStatus, needsValid: true },
  { run: checkOrderable },
  { run: changeAwaiting },
  { run: checkPatient, needsValid: true },
  // A contract or a catalogue may have changed during the request to the clinical backend.
  { run: checkOrderable }
]

/**
 * Applies a JSON Patch to an order as GET returns it, all or nothing. An operation on `/status` is
 * a transition. After the submission only the receiver and the delivery wish of the content can
 * change, and notes can only be appended.
 * @param schema the schema of a valid result.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrder(
  ports: Ports,
  call: Call,
  id: string,
  patch: readonly Operation[],
  schema: PatchResultSchema<PatchedOrder>
): Promise<void> {
  const named = patch.map(withCurrentNames)
  const consents = new Set<string>()
  await changeOrder(ports, call, { id }, async (change) => {
    assertRevision(call, () => String(change.order.revision))
    const before = orderOf(ports, call, change.snapshot)
    const operations: Operation[] = []
    for (const each of named) operations.push(await withCanonicalTest(ports, orderReferences, each, before))
    const result = applyPatch(before, operations, schema, ports.limits.body, uncounted)
    const after = await withCanonicalReferences(ports, orderReferences, result, before)
    const { validateNormalized } = schema
    await runSteps(orderSteps, {
      ports,
      change,
      operations,
      before,
      after,
      validateNormalized,
      consents
    })
  })
}

/** Members whose change must not fail because other members are too large. */
const uncounted = ['status', 'statusReason', 'priority']

/** Maps the earlier names of a receiver's members to the current ones. */
function withCurrentNames(operation: Operation): Operation {
  const current = (path: string) =>
    path
      .replace(/^\/receiver\/addressLine 1$/, '/receiver/addressLine1')
      .replace(/^\/receiver\/clinicalRef$/, '/receiver/patient')
  const from = hasSource(operation) ? { from: current(operation.from) } : {}
  return { ...operation, path: current(operation.path), ...from }
}
