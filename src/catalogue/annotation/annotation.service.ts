import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import type { CreateEntry } from '../../platform/rest/bulk-route.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import type { AnnotationRow } from '../tables.js'
import type { AnnotationInput } from './annotation.schemas.js'
import {
  deleteAnnotations,
  findOwnAnnotation,
  isOwnAnnotation,
  saveAnnotations,
  updateAnnotation
} from './annotation.store.js'
import { resolveAnnotations } from './check-annotations.js'

/**
 * Creates annotations of buyers that the caller's organization administers, all or none, and
 * returns them in the same order.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`, `duplicate-annotation`.
 */
export async function createAnnotations(
  ports: Ports,
  call: Call,
  entries: readonly CreateEntry<AnnotationInput>[]
): Promise<AnnotationRow[]> {
  const values = await resolveAnnotations(ports, call, entries)
  return unitOfWork(ports, call, (work) => saveAnnotations(work, values))
}

/**
 * Replaces an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, and those of {@link createAnnotations}.
 */
export async function replaceAnnotation(
  ports: Ports,
  call: Call,
  id: string,
  input: AnnotationInput
): Promise<void> {
  const [own] = await findOwnAnnotation(ports.db, call, id)
  if (!own) throw problem('not-found')
  const [values] = await resolveAnnotations(ports, call, [{ input, pointer: '' }], id)
  if (!values) throw new Error('A valid annotation has values.')
  await unitOfWork(ports, call, (work) => updateAnnotation(work, id, values))
}

/**
 * Deletes an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export const deleteAnnotation = (ports: Ports, call: Call, id: string): Promise<void> =>
  unitOfWork(ports, call, async (work) => {
    const [deleted] = await deleteAnnotations(work, isOwnAnnotation(work.tx, call, id))
    if (!deleted) throw problem('not-found')
    assertRevision(call, () => revisionOf(deleted))
  })
