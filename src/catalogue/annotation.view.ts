import { and, asc, eq, gt } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { filterIds } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import type { Annotation } from './annotation.schemas.js'
import { annotationNotFound } from './annotation.service.js'
import { catalogueForms } from './forms.js'
import { catalogueKind, itemKind } from './kinds.js'
import { annotations, catalogueItems } from './tables.js'

/** @throws Problem `not-found`. */
export async function viewAnnotation(ports: Ports, id: string): Promise<Annotation> {
  const [row] = await ports.db.select().from(annotations).where(eq(annotations.id, id))
  if (!row) throw annotationNotFound()
  return catalogueForms(ports).annotation.of(row)
}

export interface AnnotationFilters {
  buyer?: string
  catalogue?: string
  catalogueItem?: string
}

/** A page of annotations, in order of creation. */
export async function listAnnotations(
  ports: Ports,
  filters: AnnotationFilters,
  { limit, after }: PageRequest<string>
): Promise<Page<Annotation, string>> {
  const { db, references } = ports
  const ids = filterIds(references, filters, {
    buyer: partyKind,
    catalogue: catalogueKind,
    catalogueItem: itemKind
  })
  if (!ids) return { entries: [], next: undefined }
  const rows = await db
    .select({ annotation: annotations })
    .from(annotations)
    .innerJoin(catalogueItems, eq(catalogueItems.id, annotations.itemId))
    .where(
      and(
        ids.buyer ? eq(annotations.buyerId, ids.buyer) : undefined,
        ids.catalogue ? eq(catalogueItems.catalogueId, ids.catalogue) : undefined,
        ids.catalogueItem ? eq(annotations.itemId, ids.catalogueItem) : undefined,
        after ? gt(annotations.id, after) : undefined
      )
    )
    .orderBy(asc(annotations.id))
    .limit(limit + 1)
  const found = rows.map((row) => row.annotation)
  const { entries, next } = pageOf(found, limit, (row) => row.id)
  return { entries: entries.map(catalogueForms(ports).annotation.of), next }
}
