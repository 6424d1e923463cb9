import { and, eq, ne } from 'drizzle-orm'
import { type PartyUse, resolveParties } from '../agreement/lookup.js'
import { inIds } from '../db/sql/conditions.js'
import type { Call } from '../platform/auth/call.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import { formUnlessIn, loadByUrl } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import type { ItemSnapshot } from './item-snapshot.js'
import { catalogueProblem } from './problems.js'
import { itemResource } from './resources.js'
import { catalogueItems, catalogues } from './tables.js'
import { catalogueTexts } from './texts.js'

type LookupPorts = Pick<Ports, 'db' | 'resourceUrls'>

export interface FoundItem {
  id: string
  type: 'DeviceModel' | 'Service'
  catalogueId: string
  sellerId: string
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

/** Finds a device model of a seller as it is now, by URL. Its status does not matter. */
export async function findModel(
  { db, resourceUrls }: LookupPorts,
  sellerId: string,
  url: string
): Promise<{ id: string; model: ItemSnapshot } | undefined> {
  const id = resourceUrls.id(itemResource, url)
  if (id === undefined) return undefined
  const { name, manufacturer, model, version, identifiers } = catalogueItems
  const [found] = await db
    .select({ name, manufacturer, model, version, identifiers })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(
      and(
        eq(catalogueItems.id, id),
        eq(catalogueItems.type, 'DeviceModel'),
        eq(catalogues.sellerId, sellerId)
      )
    )
  return found && { id, model: found }
}

/**
 * Resolves the references to items of a request, of any seller, in the same order. Adds a field
 * error for each text that is not the URL of an item.
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
      errors.add(catalogueProblem('dangling-reference.item', pointer, { form }))
    }
    return item
  })
}

/**
 * Resolves the buyers of the entries of a request, which the caller's organization administers, in
 * the same order. Adds a field error for each other text.
 */
export const resolveBuyers = (
  ports: LookupPorts,
  call: Call,
  errors: FieldErrors,
  entries: readonly { pointer: string; buyer: string }[]
) =>
  resolveParties(
    ports,
    call,
    errors,
    entries.map(({ pointer, buyer }) => ({
      pointer: `${pointer}/buyer`,
      url: buyer,
      role: 'BUYER',
      scope: 'administered'
    }))
  )

/** Catalogues need their seller, unless they are INACTIVE. */
export const inCatalogues: PartyUse = {
  what: catalogueTexts.usedCatalogues,
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
