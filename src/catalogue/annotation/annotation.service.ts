import { resolveParties } from '../../agreement/lookup.js'
import { withTransaction } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { CodingInput } from '../../platform/schemas/schemas.js'
import type { Ports } from '../../ports.js'
import { findItems } from '../lookup.js'
import type { AnnotationInput } from './annotation.schemas.js'
import {
  type AnnotationValues,
  isOwnAnnotation,
  removeAnnotation,
  saveAnnotations,
  updateAnnotation
} from './annotation.store.js'
import { validateAnnotationValues } from './validate-annotation-values.js'

/** Creates an annotation of a buyer of the caller's organization and answers its id. */
export async function createAnnotation(ports: Ports, actor: Actor, input: AnnotationInput): Promise<string> {
  const values = await checkedAnnotation(ports, actor, input)
  const [id = ''] = await withTransaction(ports.db, actor, (work) => saveAnnotations(work, [values]))
  return id
}

/** @throws Problem `not-found` where there is none of the caller's. */
export async function replaceAnnotation(
  ports: Ports,
  actor: Actor,
  id: string,
  input: AnnotationInput
): Promise<void> {
  if (!(await isOwnAnnotation(ports.db, actor, id))) throw annotationNotFound()
  const values = await checkedAnnotation(ports, actor, input)
  await withTransaction(ports.db, actor, async (work) => {
    if (!(await updateAnnotation(work, id, values))) throw annotationNotFound()
  })
}

/** @throws Problem `not-found` where there is none of the caller's. */
export async function deleteAnnotation(ports: Ports, actor: Actor, id: string): Promise<void> {
  await withTransaction(ports.db, actor, async (work) => {
    if (!(await removeAnnotation(work, id))) throw annotationNotFound()
  })
}

export const annotationNotFound = () => problem('not-found', 'There is no such annotation.')

async function checkedAnnotation(
  ports: Ports,
  actor: Actor,
  input: AnnotationInput
): Promise<AnnotationValues> {
  const faults = new FieldErrors()
  const item = (await findItems(ports, [input.catalogueItem])).get(input.catalogueItem)
  if (!item) faults.dangling('/catalogueItem', 'It must be the URL of a catalogue item.')
  const [checked] = await checkAnnotations(ports, actor, faults, [{ ...input, item: 0, pointer: '' }])
  faults.check()
  if (!checked || !item) throw new Error('an annotation without faults has values')
  return { ...checked.values, itemId: item.id }
}

/** An annotation of a request: where it stands, and the number of the item it belongs to. */
interface Placed {
  buyer: string
  name: string
  value: CodingInput
  item: number
  pointer: string
}

/** A checked annotation, and the number of the item it belongs to. */
export interface CheckedAnnotation {
  item: number
  values: Omit<AnnotationValues, 'itemId'>
}

/**
 * Checks buyers (the caller's own), names and values (the value set of the name). What is wrong becomes a fault, and the
 * annotation is left out of the answer.
 */
export async function checkAnnotations(
  ports: Ports,
  actor: Actor,
  faults: FieldErrors,
  placed: readonly Placed[]
): Promise<CheckedAnnotation[]> {
  const buyers = await resolveParties(
    ports,
    actor,
    faults,
    placed.map(({ buyer, pointer }) => ({
      pointer: `${pointer}/buyer`,
      url: buyer,
      role: 'BUYER',
      within: 'own'
    }))
  )
  const values = await validateAnnotationValues(ports, actor, placed)
  return placed.flatMap(({ name, item, pointer }, at) => {
    const [buyer, value] = [buyers[at], values[at]]
    if (!value)
      faults.add(
        problem,
        'unknown-coding',
        `${pointer}/value`,
        'The value set of this annotation name has no such value.'
      )
    if (!buyer || !value) return []
    const { code, display } = value
    const system = ports.terminology.storedSystem(value.system)
    return [{ item, values: { buyerId: buyer.id, name, system, code, display } }]
  })
}
