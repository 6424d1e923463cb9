import { and, asc, eq, gt } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import type { Actor } from '../platform/actor.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { problem } from '../platform/problem.js'
import { filterIds } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import { queriedCode } from '../terminology/known-code.js'
import type { Catalogue } from './catalogue.schemas.js'
import { withinReach } from './own.js'
import { catalogues } from './tables.js'

export interface CatalogueFilters {
  seller?: string
  status?: string
}

/**
 * A catalogue as its readers see it; a provider sees its own.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, actor: Actor, id: string): Promise<Catalogue> {
  const { db } = ports
  const [row] = await db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), withinReach(db, actor)))
  if (!row) throw problem('not-found', 'There is no such catalogue.')
  return catalogueOf(ports, row)
}

/** A page of the catalogues within the caller's reach, in order of creation. */
export async function listCatalogues(
  ports: Ports,
  actor: Actor,
  { status, ...others }: CatalogueFilters,
  { limit, after }: PageRequest<string>
): Promise<Page<Catalogue, string>> {
  const { db, references, terminology } = ports
  const ids = filterIds(references, others, { seller: partyKind })
  const code = queriedCode(terminology, 'catalogue-status', 'status', status)
  if (!ids) return { entries: [], next: undefined }
  const rows = await db
    .select()
    .from(catalogues)
    .where(
      and(
        withinReach(db, actor),
        ids.seller ? eq(catalogues.sellerId, ids.seller) : undefined,
        code ? eq(catalogues.status, code) : undefined,
        after ? gt(catalogues.id, after) : undefined
      )
    )
    .orderBy(asc(catalogues.id))
    .limit(limit + 1)
  const { entries, next } = pageOf(rows, limit, (row) => row.id)
  return { entries: entries.map((row) => catalogueOf(ports, row)), next }
}

function catalogueOf({ references, terminology }: Ports, row: typeof catalogues.$inferSelect): Catalogue {
  return {
    id: row.id,
    identifiers: row.identifiers,
    seller: references.url(partyKind, row.sellerId),
    name: row.name,
    status: terminology.coding('catalogue-status', row.status)
  }
}
