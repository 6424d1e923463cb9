import { itemResource } from '../../catalogue/resources.js'
import { addRelatedSubjects } from '../../device/store.js'
import type { Call } from '../../platform/auth/call.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import type { Operation } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { changeOrder, orderNotFound } from '../change-order.js'
import type { PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { reasonedLineStatuses } from '../model/states.js'
import { type ReferencePaths, withCanonicalReferences, withCanonicalTest } from '../references.js'
import { lineRevision } from '../store/load-order.js'
import { orderOfLine } from '../store/visibility.js'
import { orderLineOf } from '../view.js'
import { changeAgreedTime } from './agreed-time.js'
import { changeDeliveredModel } from './delivered-model.js'
import { changeDevice, patchableLine } from './device.js'
import { changeLineContent, checkLineOrderable, rejectLineContent } from './line-content.js'
import { changePerformance } from './performance.js'
import { changeRelatedDevice } from './related-device.js'
import { changeLineStatus, readTransition } from './requested-transition.js'
import { type LinePatch, type PatchStep, rejectChangesOf, runSteps } from './steps.js'

/** The rules of a JSON Patch of an order line, in this sequence. */
const lineSteps: readonly PatchStep<LinePatch>[] = [
  { run: rejectLineContent },
  { run: readTransition('order-line-status', reasonedLineStatuses) },
  { run: rejectChangesOf('id', 'order', 'orderedItem', 'allowedStatuses') },
  { run: changeLineContent },
  { run: checkLineOrderable, needsValid: true },
  { run: changeRelatedDevice },
  { run: changeAgreedTime },
  { run: changePerformance },
  { run: changeDeliveredModel },
  { run: changeLineStatus, needsValid: true },
  // The transition may deliver the device.
  { run: changeDevice }
]

/**
 * Applies a JSON Patch to an order line as GET returns it. An operation on `/status` is a status
 * transition; item, action and related line can change while the order is a DRAFT, the agreed time
 * while the line is SUBMITTED, and the device once it is delivered. The JSON Patch that fulfils the
 * line reports when, to whom and which model.
 * @param schema the schema of a valid result.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrderLine(
  ports: Ports,
  call: Call,
  id: string,
  patch: readonly Operation[],
  schema: PatchResultSchema<PatchedOrderLine>
): Promise<void> {
  const operations = await Promise.all(patch.map((each) => withCanonicalTest(ports, references, each)))
  await changeOrder(ports, call, orderOfLine(id), async (change) => {
    const line = change.lines.find((each) => each.id === id)
    if (!line) throw orderNotFound()
    assertRevision(call, () => lineRevision(line))
    // The response may have the line.
    addRelatedSubjects(call, change.order.patient, [line])
    const before = orderLineOf(ports, call, change.order.status, line)
    const result = applyPatch(patchableLine(before, operations), operations, schema, ports.limits.body)
    const after = await withCanonicalReferences(ports, references, result)
    await runSteps(lineSteps, { ports, change, line, operations, before, after })
  })
}

const references: ReferencePaths = {
  '/order': orderResource,
  '/item': itemResource,
  '/relatedTo': orderLineResource,
  '/device/item': itemResource
}
