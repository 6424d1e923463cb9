import { resolveParties } from '../../agreement/lookup.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { CodingInput } from '../../platform/schemas/input-schemas.js'
import type { Ports } from '../../ports.js'
import { unknownCoding } from '../../terminology/known-code.js'
import { checkDuplicates } from '../check-duplicates.js'
import { resolveItems } from '../lookup.js'
import { annotationResource } from '../resources.js'
import type { AnnotationInput } from './annotation.schemas.js'
import { type AnnotationKey, type AnnotationValues, existingAnnotations } from './annotation.store.js'
import { lookUpAnnotationValues } from './look-up-annotation-values.js'

/** An annotation of a request, with its location and an index that the caller chooses. */
interface RequestAnnotation {
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
 * Validates buyers (administered by the caller's organization), names and values (in the value set
 * of the name). Adds a field error for each invalid annotation and omits it from the result.
 */
export async function checkAnnotations(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  annotations: readonly (RequestAnnotation & { buyer: string })[]
): Promise<CheckedAnnotation[]> {
  const buyers = await resolveParties(
    ports,
    call,
    errors,
    annotations.map(({ buyer, pointer }) => ({
      pointer: `${pointer}/buyer`,
      url: buyer,
      role: 'BUYER',
      scope: 'administered'
    }))
  )
  return checkAnnotationValues(ports, call, errors, annotations, (at) => buyers[at]?.id)
}

/**
 * Validates names and values as {@link checkAnnotations}.
 * @param buyerIdOf the buyer of an annotation by its place; undefined if it is invalid, which is
 *   already an error.
 */
export async function checkAnnotationValues(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  annotations: readonly RequestAnnotation[],
  buyerIdOf: (at: number) => string | undefined
): Promise<CheckedAnnotation[]> {
  const values = await lookUpAnnotationValues(ports, call, annotations)
  return annotations.flatMap(({ name, value: given, index, pointer }, at) => {
    const [buyerId, value] = [buyerIdOf(at), values[at]]
    if (!value) errors.add(unknownCoding(ports.terminology.annotationSet(name), given, `${pointer}/value`))
    if (buyerId === undefined || !value) return []
    const { code, display } = value
    const system = ports.terminology.storedSystem(value.system)
    return [{ index, values: { buyerId, name, system, code, display } }]
  })
}

/** An annotation of an item in a request, with its location. */
interface LocatedAnnotation {
  input: AnnotationInput
  pointer: string
}

/**
 * Validates annotations of items as {@link checkAnnotations}, and returns them in the same order.
 * @param except id of an annotation that they may repeat.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`, `duplicate-annotation`.
 */
export async function resolveAnnotations(
  ports: Ports,
  call: Call,
  annotations: readonly LocatedAnnotation[],
  except?: string
): Promise<AnnotationValues[]> {
  const errors = new FieldErrors()
  const items = await resolveItems(
    ports,
    errors,
    annotations.map(({ input, pointer }) => ({
      pointer: `${pointer}/catalogueItem`,
      url: input.catalogueItem
    }))
  )
  const requested = annotations.map(({ input: { buyer, name, value }, pointer }, index) => ({
    buyer,
    name,
    value,
    index,
    pointer
  }))
  const checked = await checkAnnotations(ports, call, errors, requested)
  const resolved = checked.map(({ values: { buyerId, name, system, code, display }, index }) => ({
    itemId: items[index]?.id ?? '',
    buyerId,
    name,
    system,
    code,
    display
  }))
  const entries = resolved.flatMap((each, at) => {
    const pointer = annotations[checked[at]?.index ?? 0]?.pointer ?? ''
    return each.itemId === '' ? [] : [{ key: keyOf(each), pointer }]
  })
  const ofItems = resolved.filter(({ itemId }) => itemId !== '')
  const stored = (await existingAnnotations(ports.db, ofItems)).filter(({ id }) => id !== except)
  const urlOf = (id: string) => ports.resourceUrls.url(annotationResource, id)
  checkDuplicates(
    errors,
    'duplicate-annotation',
    entries,
    new Map(stored.map((each) => [keyOf(each), urlOf(each.id)]))
  )
  errors.check()
  return resolved
}

const keyOf = ({ itemId, buyerId, name, system, code }: AnnotationKey) =>
  JSON.stringify([itemId, buyerId, name, system, code])
