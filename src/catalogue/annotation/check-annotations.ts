import pMap from 'p-map'
import type { Call } from '../../platform/auth/call.js'
import { slotOwnerOf } from '../../platform/auth/caller.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { CreateEntry } from '../../platform/rest/bulk-route.js'
import type { CodingInput } from '../../platform/schemas/input-schemas.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import type { Ports } from '../../ports.js'
import { unknownCoding } from '../../terminology/known-code.js'
import { checkUnique } from '../check-duplicates.js'
import { resolveBuyers, resolveItems } from '../lookup.js'
import { annotationResource } from '../resources.js'
import { annotations as annotationRows } from '../tables.js'
import type { AnnotationInput } from './annotation.schemas.js'
import type { AnnotationValues } from './annotation.store.js'

/** An annotation of a request, with its location and an index from the calling function. */
interface RequestAnnotation {
  name: string
  value: CodingInput
  index: number
  pointer: string
}

/** A valid annotation, with the index from the calling function. */
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
  const buyers = await resolveBuyers(ports, call, errors, annotations)
  return checkAnnotationValues(ports, call, errors, annotations, (at) => buyers[at]?.id)
}

/**
 * Validates names and values as {@link checkAnnotations}.
 * @param buyerIdOf the buyer of an annotation by its index; undefined for an invalid buyer, which
 * is already an error.
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

interface NamedValue {
  name: string
  value: CodingInput
}

/**
 * Validations in flight per request: fewer than the server allows in total, so that other requests
 * can also validate.
 */
const MAX_CONCURRENT_VALIDATIONS = 4

/**
 * Looks up annotation values in the value sets of their names and returns them as codings, in the
 * same order; undefined for a value that is not in its set. Validates each distinct value once.
 * @throws Problem `terminology-unavailable` for the first value that cannot be validated. No
 *   further validation begins.
 */
export async function lookUpAnnotationValues(
  { terminology }: Ports,
  { caller, deadline: { signal } }: Call,
  values: readonly NamedValue[]
): Promise<(Coding | undefined)[]> {
  const keys = values.map(valueKey)
  const distinct = new Map(values.map((each, at) => [keys[at], each]))
  const owner = slotOwnerOf(caller)
  const validate = ({ name, value }: NamedValue) => terminology.validateAnnotation(name, value, signal, owner)
  const results = await pMap(distinct.values(), validate, { concurrency: MAX_CONCURRENT_VALIDATIONS })
  const codings = new Map([...distinct.keys()].map((key, at) => [key, results[at]]))
  return keys.map((key) => codings.get(key))
}

const valueKey = ({ name, value: { system, code } }: NamedValue) => JSON.stringify([name, system, code])

/** The key by which an annotation of a buyer is unique on an item. */
const uniqueAnnotations = {
  code: 'duplicate-annotation',
  table: annotationRows,
  members: ['itemId', 'buyerId', 'name', 'system', 'code'],
  id: annotationRows.id,
  resource: annotationResource
} as const

/**
 * Validates annotations of items as {@link checkAnnotations}, and returns them in the same order.
 * @param except id of an annotation that they may repeat.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`, `duplicate-annotation`.
 */
export async function resolveAnnotations(
  ports: Ports,
  call: Call,
  annotations: readonly CreateEntry<AnnotationInput>[],
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
  const resolved = checked.flatMap(({ index, values: { buyerId, name, system, code, display } }) => {
    const itemId = items[index]?.id
    const pointer = annotations[index]?.pointer ?? ''
    return itemId ? [{ values: { itemId, buyerId, name, system, code, display }, pointer }] : []
  })
  await checkUnique(ports, errors, uniqueAnnotations, resolved, except)
  errors.check()
  return resolved.map(({ values }) => values)
}
