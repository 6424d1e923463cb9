import { resolveParties } from '../../agreement/lookup.js'
import { withReplicatedTransaction } from '../../db/replica/replicated-transaction.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { CodingInput } from '../../platform/schemas/input-schemas.js'
import type { Ports } from '../../ports.js'
import { findItemsByUrl } from '../lookup.js'
import type { AnnotationInput } from './annotation.schemas.js'
import {
  type AnnotationValues,
  deleteAnnotationRow,
  isOwnAnnotation,
  saveAnnotations,
  updateAnnotation
} from './annotation.store.js'
import { lookUpAnnotationValues } from './look-up-annotation-values.js'

/**
 * Creates an annotation of a buyer of the caller's organization and returns its id.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`, `duplicate-annotation`.
 */
export async function createAnnotation(ports: Ports, actor: Actor, input: AnnotationInput): Promise<string> {
  const values = await validateAnnotation(ports, actor, input)
  const [id = ''] = await withReplicatedTransaction(ports, actor, (work) => saveAnnotations(work, [values]))
  return id
}

/**
 * Replaces an annotation of the caller's organization.
 * @throws Problem `not-found`, and those of {@link createAnnotation}.
 */
export async function replaceAnnotation(
  ports: Ports,
  actor: Actor,
  id: string,
  input: AnnotationInput
): Promise<void> {
  if (!(await isOwnAnnotation(ports.db, actor, id))) throw annotationNotFound()
  const values = await validateAnnotation(ports, actor, input)
  await withReplicatedTransaction(ports, actor, async (work) => {
    if (!(await updateAnnotation(work, id, values))) throw annotationNotFound()
  })
}

/**
 * Deletes an annotation of the caller's organization.
 * @throws Problem `not-found`.
 */
export async function deleteAnnotation(ports: Ports, actor: Actor, id: string): Promise<void> {
  await withReplicatedTransaction(ports, actor, async (work) => {
    if (!(await deleteAnnotationRow(work, id))) throw annotationNotFound()
  })
}

export const annotationNotFound = () => problem('not-found', 'There is no such annotation.')

async function validateAnnotation(
  ports: Ports,
  actor: Actor,
  input: AnnotationInput
): Promise<AnnotationValues> {
  const errors = new FieldErrors()
  const item = (await findItemsByUrl(ports, [input.catalogueItem])).get(input.catalogueItem)
  if (!item) errors.addUnresolvedReference('/catalogueItem', 'It must be the URL of a catalogue item.')
  const [checked] = await checkAnnotations(ports, actor, errors, [{ ...input, index: 0, pointer: '' }])
  errors.check()
  if (!checked || !item) throw new Error('a valid annotation has values')
  return { ...checked.values, itemId: item.id }
}

/** An annotation of a request, with its location and an index that the caller chooses. */
interface RequestAnnotation {
  buyer: string
  name: string
  value: CodingInput
  index: number
  pointer: string
}

/** A valid annotation, with the index that the caller gave it. */
export interface CheckedAnnotation {
  index: number
  values: Omit<AnnotationValues, 'itemId'>
}

/**
 * Validates buyers (of the caller's organization), names and values (in the value set of the name).
 * Adds a field error for each invalid annotation and omits it from the result.
 */
export async function checkAnnotations(
  ports: Ports,
  actor: Actor,
  errors: FieldErrors,
  annotations: readonly RequestAnnotation[]
): Promise<CheckedAnnotation[]> {
  const buyers = await resolveParties(
    ports,
    actor,
    errors,
    annotations.map(({ buyer, pointer }) => ({
      pointer: `${pointer}/buyer`,
      url: buyer,
      role: 'BUYER',
      scope: 'own'
    }))
  )
  const values = await lookUpAnnotationValues(ports, actor, annotations)
  return annotations.flatMap(({ name, index, pointer }, at) => {
    const [buyer, value] = [buyers[at], values[at]]
    if (!value)
      errors.add(
        problem,
        'unknown-coding',
        `${pointer}/value`,
        'The value must be in the value set of the annotation name.'
      )
    if (!buyer || !value) return []
    const { code, display } = value
    const system = ports.terminology.storedSystem(value.system)
    return [{ index, values: { buyerId: buyer.id, name, system, code, display } }]
  })
}
