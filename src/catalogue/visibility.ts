import { and, eq, inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { parties } from '../agreement/tables.js'
import { administeredPartyIds } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import { writtenColumns } from '../db/written-columns.js'
import type { Call } from '../platform/auth/call.js'
import { loadByUrl } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { catalogueResource } from './resources.js'
import { type CatalogueRow, catalogues } from './tables.js'

/** SQL condition: the caller may see the catalogue; undefined when it may see all. */
export function catalogueVisibleTo({ db }: { db: Queryable }, call: Call): SQL | undefined {
  if (seesAllCatalogues(call)) return undefined
  return call.scope === 'administered'
    ? inArray(catalogues.sellerId, administeredPartyIds(db, call))
    : catalogueSoldBy(call.caller.organization ?? '')
}

/** Finds the given items that another module shows to the caller by reference. */
export type FindShownItems = (ports: Ports, call: Call, ids: readonly string[]) => Promise<string[]>

export const seesAllCatalogues = ({ scope }: Call): boolean => scope === 'any'

/**
 * SQL condition: a party of the organization is the seller of the catalogue. The sellers are an
 * array: otherwise PostgreSQL looks up the seller of each catalogue that has the words of a search.
 */
export const catalogueSoldBy = (organization: string | Placeholder): SQL =>
  sql`${catalogues.sellerId} = any(array(
    select ${parties.id} from ${parties} where ${parties.organization} = ${organization}))`

const selectVisible = (db: Queryable, call: Call, id: string) =>
  db
    .select(writtenColumns(catalogues))
    .from(catalogues)
    .where(and(eq(catalogues.id, id), catalogueVisibleTo({ db }, call)))

export async function findCatalogue(
  db: Queryable,
  call: Call,
  id: string
): Promise<CatalogueRow | undefined> {
  const [row] = await selectVisible(db, call, id)
  return row
}

export interface FoundCatalogue {
  id: string
  sellerId: string
}

export function findChangeableCatalogues(
  ports: Pick<Ports, 'db' | 'resourceUrls'>,
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

/**
 * Locks a catalogue that the caller may see, and thereby its items, until the transaction ends.
 */
export async function lockCatalogue({ tx, call }: UnitOfWork, id: string): Promise<CatalogueRow | undefined> {
  const [row] = await selectVisible(tx, call, id).for('update')
  return row
}
