import { withTransaction } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { catalogueProblem } from '../problems.js'
import { catalogueSerializers } from '../serializers.js'
import type { AnnotationRow } from '../tables.js'
import type { Annotation, AnnotationInput } from './annotation.schemas.js'
import {
  type AnnotationKey,
  deleteAnnotationRow,
  existingAnnotations,
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
  const [id = ''] = await withTransaction(ports, call, async (work) =>
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
  const errors = new FieldErrors()
  const known = new Set((await existingAnnotations(ports.db, values)).map(keyOf))
  for (const [at, each] of values.entries()) {
    if (known.has(keyOf(each)))
      errors.add(catalogueProblem, 'duplicate-annotation', `/${at}`, {
        en: 'It is an annotation that the item has already. Leave it out.',
        da: 'Det er en annotering, som varen allerede har. Udelad den.'
      })
    known.add(keyOf(each))
  }
  errors.check()
  let rows: AnnotationRow[] = []
  await withTransaction(ports, call, async (work) => {
    rows = await saveAnnotations(work, values)
    return rows.map(({ id }) => id)
  })
  return rows.map(catalogueSerializers(ports).annotation.toJson)
}

const keyOf = ({ itemId, buyerId, name, system, code }: AnnotationKey) =>
  JSON.stringify([itemId, buyerId, name, system, code])

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
  const [values] = await resolveAnnotations(ports, call, [{ input, pointer: '' }])
  if (!values) throw new Error('A valid annotation has values.')
  await withTransaction(ports, call, async (work) => {
    if (!(await updateAnnotation(work, id, values))) throw annotationNotFound()
  })
}

/**
 * Deletes an annotation of a buyer that the caller's organization administers.
 * @throws Problem `not-found`.
 */
export async function deleteAnnotation(ports: Ports, call: Call, id: string): Promise<void> {
  await withTransaction(ports, call, async (work) => {
    if (!(await deleteAnnotationRow(work, id))) throw annotationNotFound()
  })
}

export const annotationNotFound = () => problem('not-found')
