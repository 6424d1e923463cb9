import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { writtenColumns } from '../../db/written-columns.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference, byText, byWords } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import {
  emptyPage,
  inOrderOf,
  type Page,
  type PageRequest,
  serializedPage
} from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { catalogueResource, itemResource } from '../resources.js'
import { toAnnotation } from '../serializers.js'
import { annotations, catalogueItems } from '../tables.js'
import type { Annotation } from './annotation.schemas.js'
import { annotationNotFound } from './annotation.store.js'

/** The filters of the list of annotations. */
export const annotationFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', annotations.buyerId),
  byReference(
    'catalogue',
    catalogueResource,
    'URL of the catalogue of the items.',
    (id) => sql`${annotations.itemId} in (
      select ${catalogueItems.id} from ${catalogueItems} where ${catalogueItems.catalogueId} = ${id})`
  ),
  byReference('catalogueItem', itemResource, 'URL of the item.', annotations.itemId),
  byText('name', 'The exact name of the annotations.', annotations.name),
  byWords('the name, code and display of the annotation', annotations)
)
export type AnnotationFilters = Given<typeof annotationFilters>

const selectAnnotations = ({ db }: Pick<Ports, 'db'>) =>
  db.select(writtenColumns(annotations)).from(annotations)

/**
 * Reads an annotation.
 * @throws Problem `not-found`.
 */
export async function viewAnnotation(ports: Ports, call: Call, id: string): Promise<Versioned<Annotation>> {
  const [row] = await selectAnnotations(ports).where(eq(annotations.id, id))
  if (!row) throw annotationNotFound()
  return new Versioned(toAnnotation(ports, call, row), revisionOf(row))
}

/**
 * Reads annotations in the order of their ids.
 * @throws Problem `not-found` when one does not exist.
 */
export async function viewAnnotations(
  ports: Ports,
  call: Call,
  ids: readonly string[]
): Promise<Annotation[]> {
  const rows = await selectAnnotations(ports).where(inIds(annotations.id, ids))
  return inOrderOf(ids, rows, annotationNotFound).map((row) => toAnnotation(ports, call, row))
}

/** Lists a page of annotations, in order of creation. */
export async function listAnnotations(
  ports: Ports,
  call: Call,
  filters: AnnotationFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const given = annotationFilters.parse(ports, filters)
  if (!given) return emptyPage
  const rows = await selectAnnotations(ports)
    .where(and(annotationFilters.where(given), after ? gt(annotations.id, after) : undefined))
    .orderBy(asc(annotations.id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    ({ id }) => id,
    (row) => JSON.stringify(toAnnotation(ports, call, row))
  )
}
