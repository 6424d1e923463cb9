import { and, eq, ne } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { PartyUse } from '../agreement/lookup.js'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { authorizeAs, isAuthorized } from '../platform/auth/access.js'
import type { Call } from '../platform/auth/call.js'
import type { FieldErrors } from '../platform/errors/problem.js'
import { loadByUrl } from '../platform/rest/load-by-url.js'
import { formUnlessIn } from '../platform/util/resource-urls.js'
import type { Ports } from '../ports.js'
import { itemRead } from './item/item.access.js'
import type { CatalogueItem } from './item/item.schemas.js'
import { loadVisibleItems } from './item/item.store.js'
import { catalogueResource, itemResource } from './resources.js'
import { catalogueSerializers } from './serializers.js'
import { catalogueItems, catalogues, type ItemRow } from './tables.js'
import { catalogueVisibleTo } from './visibility.js'

type LookupPorts = Pick<Ports, 'db' | 'resourceUrls'>

export interface FoundCatalogue {
  id: string
  sellerId: string
}

export interface FoundItem {
  id: string
  type: 'DeviceModel' | 'Service'
  catalogueId: string
  sellerId: string
}

/** Finds the catalogues that the caller may change, by URL. */
export function findChangeableCatalogues(
  ports: LookupPorts,
  call: Call,
  urls: readonly string[]
): Promise<Map<string, FoundCatalogue>> {
  return loadByUrl(ports.resourceUrls, catalogueResource, urls, (ids) =>
    ports.db
      .select({ id: catalogues.id, sellerId: catalogues.sellerId })
      .from(catalogues)
      .where(and(inIds(catalogues.id, ids), catalogueVisibleTo(ports, call)))
  )
}

/** Reads those of the items that the caller may read, each as it is read by its id. */
export async function viewReadableItems(
  ports: Ports,
  call: Call,
  ids: readonly string[]
): Promise<CatalogueItem[]> {
  if (ids.length === 0 || !isAuthorized(call.caller, itemRead)) return []
  const rows = await loadVisibleItems(ports.db, authorizeAs(call, itemRead), ids)
  return rows.map(catalogueSerializers(ports).item.toJson)
}

/** Finds items of any seller, by URL. */
export function findItemsByUrl(
  { db, resourceUrls }: LookupPorts,
  urls: readonly string[]
): Promise<Map<string, FoundItem>> {
  return loadByUrl(resourceUrls, itemResource, urls, (ids) =>
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

/**
 * Resolves the references to items of a request, of any seller, in the same order. Adds a field
 * error for each that is not the URL of an item.
 */
export async function resolveItems(
  ports: LookupPorts,
  errors: FieldErrors,
  refs: readonly { pointer: string; url: string }[]
): Promise<(FoundItem | undefined)[]> {
  const urls = refs.map(({ url }) => url)
  const items = await findItemsByUrl(ports, urls)
  return refs.map(({ pointer, url }) => {
    const item = items.get(url)
    if (!item) {
      const form = formUnlessIn(ports.resourceUrls, itemResource, url)
      errors.addUnresolvedReference(pointer, {
        en: `It must be the URL of a catalogue item${form}.`,
        da: `Det skal være adressen på en vare i et katalog${form}.`
      })
    }
    return item
  })
}

/** What an item is or, if it is a service, which device model it is for. */
export type ItemRelation = Pick<ItemRow, 'id' | 'type' | 'manufacturer' | 'model'> & {
  /** The model that a service is for, with its manufacturer and model; null for any. */
  modelId: string | null
}

const relatedModels = alias(catalogueItems, 'related_model')

/** Finds which device models items are for, by the ids of the items. */
export async function findItemRelations(
  db: Queryable,
  ids: readonly string[]
): Promise<ReadonlyMap<string, ItemRelation>> {
  const rows = await db
    .select({
      id: catalogueItems.id,
      type: catalogueItems.type,
      modelId: catalogueItems.relatedToId,
      manufacturer: relatedModels.manufacturer,
      model: relatedModels.model
    })
    .from(catalogueItems)
    .leftJoin(relatedModels, eq(relatedModels.id, catalogueItems.relatedToId))
    .where(inIds(catalogueItems.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Catalogues need their seller, unless they are INACTIVE. */
export const inCatalogues: PartyUse = {
  what: { en: 'catalogues that are not INACTIVE', da: 'kataloger, der ikke er INACTIVE' },
  async exists(db, partyId, role) {
    if (role !== 'SELLER') return false
    const rows = await db
      .select({ id: catalogues.id })
      .from(catalogues)
      .where(and(eq(catalogues.sellerId, partyId), ne(catalogues.status, 'INACTIVE')))
      .limit(1)
    return rows.length > 0
  }
}
