import { and, eq } from 'drizzle-orm'
import { inIds } from '../db/sql/conditions.js'
import type { Actor } from '../platform/auth/actor.js'
import { loadByUrl } from '../platform/rest/load-by-url.js'
import type { Ports } from '../ports.js'
import { catalogueKind, itemKind } from './resources.js'
import { catalogueItems, catalogues } from './tables.js'
import { catalogueVisibleTo } from './visibility.js'

type Reader = Pick<Ports, 'db' | 'references' | 'today'>

export interface CatalogueFound {
  id: string
  sellerId: string
}

export interface ItemFound {
  id: string
  type: 'DeviceModel' | 'Service'
  catalogueId: string
  sellerId: string
}

/** The catalogues behind references, as far as the caller may change them, by reference. */
export function findCatalogues(
  ports: Reader,
  actor: Actor,
  urls: readonly string[]
): Promise<Map<string, CatalogueFound>> {
  return loadByUrl(ports.references, catalogueKind, urls, (ids) =>
    ports.db
      .select({ id: catalogues.id, sellerId: catalogues.sellerId })
      .from(catalogues)
      .where(and(inIds(catalogues.id, ids), catalogueVisibleTo(ports, actor)))
  )
}

/** The items behind references, whoever sells them, by reference. */
export function findItems(
  { db, references }: Reader,
  urls: readonly string[]
): Promise<Map<string, ItemFound>> {
  return loadByUrl(references, itemKind, urls, (ids) =>
    db
      .select({
        id: catalogueItems.id,
        type: catalogueItems.type,
        catalogueId: catalogues.id,
        sellerId: catalogues.sellerId
      })
      .from(catalogueItems)
      .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
      .where(inIds(catalogueItems.id, ids))
  )
}
