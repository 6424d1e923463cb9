import { findItemsByUrl } from '../../catalogue/lookup.js'
import { itemResource } from '../../catalogue/resources.js'
import { addRelatedSubjects } from '../../device/store.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { Problem } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import type { Operation } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change.js'
import { changeOrder, orderNotFound } from '../change-order.js'
import type { PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { reasonedLineStatuses } from '../model/states.js'
import { type ReferencePaths, withCanonicalReferences, withCanonicalTest } from '../references.js'
import { lineRevision, type SnapshotLine } from '../store/load-order.js'
import { orderOfLines } from '../store/visibility.js'
import { closeWithoutOpenLines } from '../transition.js'
import { orderLineOf } from '../view.js'
import { changeAgreedTime } from './agreed-time.js'
import { changeDeliveredModel } from './delivered-model.js'
import { changeDevice, patchableLine } from './device.js'
import { changeLineContent, checkLinesOrderable, rejectLineContent } from './line-content.js'
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
  { run: changeRelatedDevice },
  { run: changeAgreedTime },
  { run: changePerformance },
  { run: changeDeliveredModel },
  { run: changeLineStatus, needsValid: true },
  // The transition may deliver the device.
  { run: changeDevice }
]

/** A line of a request, with its JSON Patch. */
export interface RequestedLine {
  id: string
  patch: readonly Operation[]
}

/** How the lines of a request are reported. */
interface LineReports {
  /** Makes the problem of lines that are not lines of one order that the caller sees. */
  absent: () => Problem | Promise<Problem>
  /** Converts the problem of a line to that of the request. */
  locate: (found: Problem, index: number) => Problem
}

const asWholeRequest: LineReports = { absent: orderNotFound, locate: (found) => found }

/**
 * Applies JSON Patches to different lines of an order, each as GET returns it: one after the other,
 * all or none. An operation on `/status` is a status transition; item, action and related line can
 * change while the order is a DRAFT, the agreed time while the line is SUBMITTED, and the device
 * once it is delivered. The JSON Patch that fulfils a line reports when, to whom and which model. An
 * order without open lines is closed at the end.
 * @param schema the schema of a valid result.
 * @param reports how problems are reported. Default: as those of a request about one line.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchLines(
  ports: Ports,
  call: Call,
  requested: readonly RequestedLine[],
  schema: PatchResultSchema<PatchedOrderLine>,
  reports: LineReports = asWholeRequest
): Promise<void> {
  const ids = requested.map(({ id }) => id)
  const patches = await Promise.all(
    requested.map(({ patch }) =>
      Promise.all(patch.map((each) => withCanonicalTest(ports, references, each)))
    )
  )
  const decide = async (change: OrderChange): Promise<void> => {
    const stored = new Map(change.lines.map((line) => [line.id, line]))
    const lines = ids.flatMap((id) => stored.get(id) ?? [])
    if (lines.length < ids.length) throw await reports.absent()
    // The response may have the lines.
    addRelatedSubjects(call, change.order.patient, lines)
    const errors = new LineErrors(reports)
    const applied = await Promise.all(
      await mapYielding(lines, (line, index) =>
        errors.collect(index, () => applyToLine(ports, change, line, patches[index] ?? [], schema, ids.length))
      )
    )
    const items = await findChangedItems(ports, applied)
    for (const [index, each] of applied.entries())
      if (each) await errors.collect(index, () => runSteps(lineSteps, { ports, change, items, ...each }))
    errors.check()
    await checkLinesOrderable(ports, change, (id, problem) => errors.add(ids.indexOf(id), problem))
    errors.check()
    closeWithoutOpenLines(change)
  }
  await changeOrder(ports, call, orderOfLines(ids), decide, reports.absent)
}

/** Collects the problems of the lines of a request. */
class LineErrors {
  readonly #errors = new FieldErrors()

  constructor(private readonly reports: LineReports) {}

  add(index: number, found: Problem): void {
    this.#errors.add(this.reports.locate(found, index))
  }

  /** Runs what concerns a line. Returns undefined if the line has a problem. */
  collect<T>(index: number, run: () => T): T | undefined {
    const collect = (cause: unknown): undefined => {
      if (!(cause instanceof Problem) || cause.status >= 500) throw cause
      this.add(index, cause)
    }
    try {
      const result = run()
      return result instanceof Promise ? (result.catch(collect) as T) : result
    } catch (cause) {
      return collect(cause)
    }
  }

  check(): void {
    this.#errors.check()
  }
}

type AppliedPatch = Pick<LinePatch, 'line' | 'operations' | 'before' | 'after'>

/** @param count the number of lines, whose JSON Patches together copy no more than a body can have. */
async function applyToLine(
  ports: Ports,
  { call, order: { status } }: OrderChange,
  line: SnapshotLine,
  operations: readonly Operation[],
  schema: PatchResultSchema<PatchedOrderLine>,
  count: number
): Promise<AppliedPatch> {
  assertRevision(call, () => lineRevision(line))
  const before = orderLineOf(ports, call, status, line)
  const maxSize = Math.floor(ports.limits.body / count)
  const result = applyPatch(patchableLine(before, operations), operations, schema, maxSize)
  return { line, operations, before, after: await withCanonicalReferences(ports, references, result) }
}

/** Finds the other items that lines will have, with one statement. */
const findChangedItems = (ports: Ports, applied: readonly (AppliedPatch | undefined)[]) =>
  findItemsByUrl(
    ports,
    applied.flatMap((each) => (each && each.after.item !== each.before.item ? each.after.item : []))
  )

const references: ReferencePaths = {
  '/order': orderResource,
  '/item': itemResource,
  '/relatedTo': orderLineResource,
  '/device/item': itemResource
}
