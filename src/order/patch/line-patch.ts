import { itemResource } from '../../catalogue/resources.js'
import { addRelatedSubjects } from '../../device/store.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { Problem } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import type { Operation } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change.js'
import { changeOrder, orderNotFound } from '../change-order.js'
import { orderLineOf } from '../line.serialize.js'
import type { PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { reasonedLineStatuses } from '../model/states.js'
import { type ReferencePaths, withCanonicalReferences, withCanonicalTest } from '../references.js'
import { findOrderOfLines } from '../store/find-order.js'
import { lineRevision, type SnapshotLine } from '../store/load-order.js'
import { closeWithoutOpenLines } from '../transition.js'
import { changeAgreedTime } from './agreed-time.js'
import { changeDevice, patchableLine } from './device.js'
import { changeDeliveredModel, changePerformance } from './fulfilment-report.js'
import { changeItems, changeLineContent, checkContent, rejectLineContent } from './line-content.js'
import { changeRelatedDevice } from './related-device.js'
import { changeLineStatus, readTransition } from './requested-transition.js'
import { type LinePatch, type PatchStep, rejectChangesOf, runSteps } from './steps.js'

/** The rules of a JSON Patch of an order line, in this sequence. */
const lineSteps: readonly PatchStep<LinePatch>[] = [
  { run: rejectLineContent },
  { run: readTransition('order-line-status', reasonedLineStatuses) },
  { run: rejectChangesOf('id', 'order', 'orderedItem', 'allowedStatuses') },
  { run: changeLineContent },
  { run: changeRelatedDevice },
  { run: changeAgreedTime },
  { run: changePerformance },
  { run: changeDeliveredModel },
  { run: changeLineStatus, needsValid: true },
  // The transition may deliver the device.
  { run: changeDevice }
]

export interface RequestedLine {
  id: string
  patch: readonly Operation[]
}

/**
 * Applies JSON Patches to different lines of an order, each as GET returns it: one after the other,
 * all or none. An operation on `/status` is a transition. Item, action and related line can change
 * while the order is a DRAFT, the agreed time while the line is SUBMITTED, and the device after its
 * delivery. The JSON Patch that fulfils a line reports the time, the receiver and the model of the
 * delivery. An order without open lines is closed at the end.
 * @param schema the schema of a valid result.
 * @param locate converts the problem of a line to a problem of the request. Default: for a single
 * line.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchLines(
  ports: Ports,
  call: Call,
  requested: readonly RequestedLine[],
  schema: PatchResultSchema<PatchedOrderLine>,
  locate: (found: Problem, index: number) => Problem = (found) => found
): Promise<void> {
  const ids = requested.map(({ id }) => id)
  // Together the JSON Patches copy at most the maximum size of a body.
  const maxSize = Math.floor(ports.limits.body / ids.length)
  await changeOrder(ports, call, await findOrderOfLines(ports.db, ids), async (change) => {
    const stored = new Map(change.lines.map((line) => [line.id, line]))
    const lines = ids.flatMap((id) => stored.get(id) ?? [])
    if (lines.length < ids.length) throw orderNotFound()
    // The response may have the lines.
    addRelatedSubjects(call, change.order.patient, lines)
    const problems: Problem[] = []
    const report = (found: Problem, index: number) => problems.push(locate(found, index))
    const patches: LinePatch[] = []
    for (const [index, line] of lines.entries()) {
      try {
        const patch = await makePatch(ports, change, line, requested[index]?.patch ?? [], schema, maxSize)
        patches.push(patch)
        await runSteps(lineSteps, patch)
      } catch (cause) {
        if (!(cause instanceof Problem) || cause.status >= 500) throw cause
        report(cause, index)
      }
    }
    await changeItems(ports, patches, report)
    throwTogether(problems)
    await checkContent(patches, report)
    throwTogether(problems)
    closeWithoutOpenLines(change)
  })
}

/** Throws a single problem unchanged, and several problems as one. */
function throwTogether(problems: readonly Problem[]): void {
  const [first, ...others] = problems
  if (first && others.length === 0) throw first
  const errors = new FieldErrors()
  for (const each of problems) errors.add(each)
  errors.check()
}

async function makePatch(
  ports: Ports,
  change: OrderChange,
  line: SnapshotLine,
  patch: readonly Operation[],
  schema: PatchResultSchema<PatchedOrderLine>,
  maxSize: number
): Promise<LinePatch> {
  assertRevision(change.call, () => lineRevision(line))
  const before = orderLineOf(ports, change.call, change.order.status, line)
  const operations = await Promise.all(
    patch.map((each) => withCanonicalTest(ports, references, each, before))
  )
  const result = applyPatch(patchableLine(before, operations), operations, schema, maxSize)
  const after = await withCanonicalReferences(ports, references, result, before)
  return { ports, change, line, operations, before, after }
}

const references: ReferencePaths = {
  '/order': orderResource,
  '/item': itemResource,
  '/relatedTo': orderLineResource,
  '/device/item': itemResource
}
