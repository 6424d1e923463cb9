import { resolvePartiesByName } from '../../agreement/party-names.js'
import { partyResource } from '../../agreement/resources.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { authorizeAs } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { withoutControlCharacters } from '../../platform/util/without-control-characters.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import type { AnnotationValues } from '../annotation/annotation.store.js'
import { type CheckedAnnotation, checkAnnotations } from '../annotation/check-annotations.js'
import { catalogueProblem } from '../problems.js'
import type { CatalogueRow } from '../tables.js'
import { loadAnnotations } from './bulk.store.js'
import type { CatalogueContent } from './catalogue-content.js'
import type { Plan } from './plan-items.js'

/**
 * Validates the buyers and values of annotations. Calls the terminology server, so it must run
 * before the transaction.
 */
export async function validateAnnotations(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  { annotations }: CatalogueContent
): Promise<CheckedAnnotation[]> {
  if (annotations.length === 0) return []
  const annotator = authorizeAs(call, annotationAccess.create)
  const withBuyer = annotations.flatMap(({ buyer }, index) => (buyer === undefined ? [] : [{ buyer, index }]))
  const found = await resolvePartiesByName(
    ports,
    annotator,
    errors,
    withBuyer.map(({ buyer, index }) => ({
      pointer: `/annotations/${index}/buyer`,
      text: buyer,
      role: 'BUYER',
      scope: 'administered'
    }))
  )
  const buyers = new Map(withBuyer.map(({ index }, at) => [index, found[at]]))
  const located = annotations.flatMap(({ name, value }, index) => {
    const buyer = buyers.get(index)
    // A missing buyer is already an error; the value is validated all the same.
    const url = buyer ? ports.resourceUrls.url(partyResource, buyer.id) : ''
    const pointer = `/annotations/${index}`
    return name !== undefined && value ? [{ buyer: url, name, value, index, pointer }] : []
  })
  return checkAnnotations(ports, annotator, errors, located)
}

/** An annotation to create, and its index in the content. */
export interface NewAnnotation {
  index: number
  values: AnnotationValues
}

/** The annotations that do not exist yet, with their items. */
export async function newAnnotations(
  { tx, call }: UnitOfWork,
  errors: FieldErrors,
  content: CatalogueContent,
  before: CatalogueRow | undefined,
  { find }: Plan,
  checked: readonly CheckedAnnotation[]
): Promise<NewAnnotation[]> {
  const existing = new Set(
    before && checked.length > 0 ? (await loadAnnotations(tx, before.id, call)).map(annotationKey) : []
  )
  const items = await mapYielding(content.annotations, ({ item }, at) => {
    const found = item && find(item)
    if (item && !found)
      errors.addUnresolvedReference(
        `/annotations/${at}/item`,
        'It must be the identifier of exactly one item of this catalogue.'
      )
    return found
  })
  const sent = new Set<string>()
  const added: NewAnnotation[] = []
  await mapYielding(checked, ({ index, values }) => {
    const found = items[index]
    if (!found) return
    const annotation = { ...values, itemId: found.id }
    const key = annotationKey(annotation)
    if (sent.has(key))
      errors.add(
        catalogueProblem,
        'duplicate-annotation',
        `/annotations/${index}/value`,
        'A row above has the same annotation. Remove one of them.'
      )
    sent.add(key)
    if (!existing.has(key)) added.push({ index, values: annotation })
  })
  return added
}

const annotationKey = ({ itemId, buyerId, name, system, code }: AnnotationValues) =>
  JSON.stringify([itemId, buyerId, withoutControlCharacters(name), system, code])
