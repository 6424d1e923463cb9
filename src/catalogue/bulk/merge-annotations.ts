import { resolvePartyNames } from '../../agreement/party-names.js'
import { partyKind } from '../../agreement/resources.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { authorizeAs } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { printableText } from '../../platform/util/printable-text.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { type CheckedAnnotation, checkAnnotations } from '../annotation/annotation.service.js'
import type { AnnotationValues } from '../annotation/annotation.store.js'
import { catalogueProblem } from '../problems.js'
import { annotationsIn, type CatalogueRow } from './bulk.store.js'
import type { CatalogueContent } from './catalogue-content.js'
import type { Plan } from './plan-items.js'

/** Annotations whose buyer and value are in order; asks the terminology server, so it comes before the transaction. */
export async function checkedAnnotations(
  ports: Ports,
  actor: Actor,
  faults: FieldErrors,
  { annotations }: CatalogueContent
): Promise<CheckedAnnotation[]> {
  if (annotations.length === 0) return []
  const annotator = authorizeAs(actor, annotationAccess.create)
  const called = annotations.flatMap(({ buyer }, item) => (buyer === undefined ? [] : [{ buyer, item }]))
  const found = await resolvePartyNames(
    ports,
    annotator,
    faults,
    called.map(({ buyer, item }) => ({
      pointer: `/annotations/${item}/buyer`,
      text: buyer,
      role: 'BUYER',
      scope: 'own'
    }))
  )
  const buyers = new Map(called.map(({ item }, at) => [item, found[at]]))
  const placed = annotations.flatMap(({ name, value }, item) => {
    const buyer = buyers.get(item)
    // Without a buyer, which is a fault already, the value is looked at all the same.
    const url = buyer ? ports.resourceUrls.url(partyKind, buyer.id) : ''
    const pointer = `/annotations/${item}`
    return name !== undefined && value ? [{ buyer: url, name, value, item, pointer }] : []
  })
  return checkAnnotations(ports, annotator, faults, placed)
}

/** Those annotations that are not there yet, each with its item. */
export async function addedAnnotations(
  { tx, actor }: UnitOfWork,
  faults: FieldErrors,
  content: CatalogueContent,
  before: CatalogueRow | undefined,
  { find }: Plan,
  checked: readonly CheckedAnnotation[]
): Promise<AnnotationValues[]> {
  const there = new Set(
    before && checked.length > 0
      ? (await annotationsIn(tx, before.id, actor.organization ?? '')).map(keyOf)
      : []
  )
  const items = await mapYielding(content.annotations, ({ item }, at) => {
    const found = item && find(item)
    if (item && !found)
      faults.addUnresolvedReference(
        `/annotations/${at}/item`,
        'It must be the identifier of one item of this catalogue.'
      )
    return found
  })
  const sent = new Set<string>()
  const added: AnnotationValues[] = []
  await mapYielding(checked, ({ item, values }) => {
    const found = items[item]
    if (!found) return
    const annotation = { ...values, itemId: found.id }
    const key = keyOf(annotation)
    if (sent.has(key))
      faults.add(
        catalogueProblem,
        'duplicate-annotation',
        `/annotations/${item}/value`,
        'The same annotation stands in a row above.'
      )
    sent.add(key)
    if (!there.has(key)) added.push(annotation)
  })
  return added
}

const keyOf = ({ itemId, buyerId, name, system, code }: AnnotationValues) =>
  JSON.stringify([itemId, buyerId, printableText(name), system, code])
