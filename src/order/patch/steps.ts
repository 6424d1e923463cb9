import { isDeepStrictEqual } from 'node:util'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { Problem } from '../../platform/errors/problem.js'
import { type Operation, readOnlyProblem } from '../../platform/json/json-patch.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change.js'
import type { Order, PatchedOrder } from '../model/order.schemas.js'
import type { OrderLine, PatchedOrderLine } from '../model/order-line.schemas.js'
import type { LineStatus, OrderStatus } from '../model/states.js'
import type { SnapshotLine } from '../store/load-order.js'
import type { TransitionReason } from '../transition.js'

/** A JSON Patch of a resource while its steps run. */
interface Patch<Before, After, Status> {
  readonly ports: Ports
  readonly change: OrderChange
  readonly operations: readonly Operation[]
  /** The resource as GET returns it, and the result of the operations. */
  readonly before: Before
  readonly after: After
  /** The transition that the operations request, set by {@link readTransition}. */
  transition?: { to: Status; reason: TransitionReason | undefined }
}

export interface OrderPatch extends Patch<Order, PatchedOrder, OrderStatus> {
  /** Limits the length of texts after normalization, which stored texts may exceed. */
  readonly validateNormalized: (after: PatchedOrder) => void
  /** The consents that the request has found, also before a retry. */
  readonly consents: Set<string>
}

export interface LinePatch extends Patch<OrderLine, PatchedOrderLine, LineStatus> {
  readonly line: SnapshotLine
}

type StepErrors = Problem | FieldErrors | undefined

export interface PatchStep<P> {
  /** Makes the change, or returns the errors of the rule. */
  run: (patch: P) => Promise<StepErrors> | StepErrors
  /** Whether the step runs only if no earlier step has found an error. */
  needsValid?: true
}

/**
 * Runs the steps of a JSON Patch one after the other.
 * @throws Problem with the errors of all steps up to the next step that needs a change without
 * errors; the problems that a step throws.
 */
export async function runSteps<P>(steps: readonly PatchStep<P>[], patch: P): Promise<void> {
  const errors = new FieldErrors()
  for (const { run, needsValid } of steps) {
    if (needsValid) errors.check()
    const found = await run(patch)
    if (found instanceof Problem) errors.add(found)
    else if (found) errors.append(found)
  }
  errors.check()
}

type Members<M extends string> = Readonly<Partial<Record<M, unknown>>>

/** Makes the step that rejects changes of members that the service sets. */
export const rejectChangesOf =
  <M extends string>(...members: readonly M[]) =>
  ({ before, after }: { before: Members<M>; after: Members<M> }): FieldErrors => {
    const errors = new FieldErrors()
    for (const name of members)
      if (!isDeepStrictEqual(after[name], before[name])) errors.add(readOnlyProblem(`/${name}`))
    return errors
  }
