import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { toAnnotation } from '../serializers.js'
import type { AnnotationRow } from '../tables.js'
import type { Annotation, AnnotationInput } from './annotation.schemas.js'
import {
  deleteAnnotationRow,
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
  const [id = ''] = await unitOfWork(ports, call, async (work) =>
    (await saveAnnotations(work, values)).map(({ id }) => id)
  )
  return id
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
  const located = inputs.map((input, at) => ({ input, pointer: `/${at}` }))
  const values = await resolveAnnotations(ports, call, located)
  let rows: AnnotationRow[] = []
  await unitOfWork(ports, call, async (work) => {
    rows = await saveAnnotations(work, values)
    return rows.map(({ id }) => id)
  })
  return rows.map((row) => toAnnotation(ports, row))
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
  await unitOfWork(ports, call, async (work) => {
    if (!(await updateAnnotation(work, id, values))) throw annotationNotFound()
  })
}

/**
 * Deletes an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`.
 */
export async function deleteAnnotation(ports: Ports, call: Call, id: string): Promise<void> {
  await unitOfWork(ports, call, async (work) => {
    if (!(await deleteAnnotationRow(work, id))) throw annotationNotFound()
  })
}

export const annotationNotFound = () => problem('not-found')
