import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { atIndex, createRows } from '../create-rows.js'
import { toAnnotation } from '../serializers.js'
import type { Annotation, AnnotationInput } from './annotation.schemas.js'
import {
  annotationNotFound,
  deleteOwnAnnotation,
  findOwnAnnotation,
  saveAnnotations,
  updateAnnotation
} from './annotation.store.js'
import { resolveAnnotations } from './check-annotations.js'

/**
 * Creates an annotation of a buyer that the caller's organization administers, and returns its id.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`, `duplicate-annotation`.
 */
export async function createAnnotation(ports: Ports, call: Call, input: AnnotationInput): Promise<string> {
  const values = await resolveAnnotations(ports, call, [{ input, pointer: '' }])
  const [row] = await createRows(ports, call, (work) => saveAnnotations(work, values))
  return row?.id ?? ''
}

/**
 * Creates annotations of buyers that the caller's organization administers, all or none, and
 * returns them in the same order.
 * @throws Problem as {@link createAnnotation}.
 */
export async function createAnnotations(
  ports: Ports,
  call: Call,
  inputs: readonly AnnotationInput[]
): Promise<Annotation[]> {
  const values = await resolveAnnotations(ports, call, atIndex(inputs))
  const rows = await createRows(ports, call, (work) => saveAnnotations(work, values))
  return rows.map((row) => toAnnotation(ports, call, row))
}

/**
 * Replaces an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, and those of {@link createAnnotation}.
 */
export async function replaceAnnotation(
  ports: Ports,
  call: Call,
  id: string,
  input: AnnotationInput
): Promise<void> {
  const [own] = await findOwnAnnotation(ports.db, call, id)
  if (!own) throw annotationNotFound()
  const [values] = await resolveAnnotations(ports, call, [{ input, pointer: '' }], id)
  if (!values) throw new Error('A valid annotation has values.')
  await unitOfWork(ports, call, (work) => updateAnnotation(work, id, values))
}

/**
 * Deletes an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export const deleteAnnotation = (ports: Ports, call: Call, id: string): Promise<void> =>
  unitOfWork(ports, call, (work) => deleteOwnAnnotation(work, id))
