import { and, eq, gt, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { jsonText } from '../../db/json/serializer.js'
import { inIds } from '../../db/sql/conditions.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../../db/sql/page.js'
import { type Given, listFilters, type Params } from '../../filters/filter.js'
import { byReference, byText, byWords } from '../../filters/kinds.js'
import { inOrderOf } from '../../platform/rest/in-order.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { catalogueResource, itemResource } from '../resources.js'
import { catalogueSerializers } from '../serializers.js'
import { annotations, catalogueItems } from '../tables.js'
import type { Annotation } from './annotation.schemas.js'
import { annotationNotFound } from './annotation.service.js'

/**
 * Reads an annotation.
 * @throws Problem `not-found`.
 */
export async function viewAnnotation(ports: Ports, id: string): Promise<Versioned<Annotation>> {
  const [row] = await ports.db.select().from(annotations).where(eq(annotations.id, id))
  if (!row) throw annotationNotFound()
  return new Versioned(catalogueSerializers(ports).annotation.toJson(row), revisionOf(row))
}

/**
 * Reads annotations in the order of their ids.
 * @throws Problem `not-found` when one does not exist.
 */
export async function viewAnnotations(ports: Ports, ids: readonly string[]): Promise<Annotation[]> {
  const rows = await ports.db.select().from(annotations).where(inIds(annotations.id, ids))
  return inOrderOf(ids, rows, annotationNotFound).map(catalogueSerializers(ports).annotation.toJson)
}

/** The filters of the list of annotations. */
export const annotationFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', annotations.buyerId),
  byReference(
    'catalogue',
    catalogueResource,
    'URL of the catalogue of the items.',
    catalogueItems.catalogueId
  ),
  byReference('catalogueItem', itemResource, 'URL of the item.', annotations.itemId),
  byText('name', 'The exact name of the annotations.', annotations.name),
  byWords('the name, code and display of the annotation', annotations)
)
export type AnnotationFilters = Given<typeof annotationFilters>
type AnnotationListParams = Params<typeof annotationFilters> & { after: string | undefined }

const joinItem = sql`join catalogue_items on catalogue_items.id = annotations.item_id`

const pages = memoizePerApp((ports: Ports) => {
  const { annotation } = catalogueSerializers(ports)
  return dynamicQuery<AnnotationListParams, PageLimits, [id: Buffer, json: Buffer | null]>((active) =>
    pageStatement({
      table: 'annotations',
      json: jsonText(annotation, 'annotations'),
      // Without the filter PostgreSQL would look up the item of every annotation that matches.
      from: sql`from annotations ${active.catalogue ? joinItem : sql``}`,
      where: and(annotationFilters.where(active), active.after && gt(annotations.id, active.after))
    })
  )
})

/** Lists a page of annotations, in order of creation. */
export async function listAnnotations(
  ports: Ports,
  filters: AnnotationFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const params = annotationFilters.parse(ports, filters)
  if (!params) return emptyPage
  const rows = await pages(ports)(ports.db, { ...params, after }, { rows: limit + 1, bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
