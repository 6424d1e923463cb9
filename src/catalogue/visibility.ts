import { and, eq, inArray, type Placeholder, type SQL } from 'drizzle-orm'
import { administeredPartyIds, organizationPartyIds } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { type CatalogueRow, catalogues } from './tables.js'

/** SQL condition: the caller may see the catalogue; undefined when it may see all. */
export function catalogueVisibleTo({ db }: { db: Queryable }, call: Call): SQL | undefined {
  if (seesAllCatalogues(call)) return undefined
  return call.scope === 'administered'
    ? inArray(catalogues.sellerId, administeredPartyIds(db, call))
    : catalogueSoldBy(db, call.caller.organization ?? '')
}

/** Whether the caller may see all catalogues. */
export const seesAllCatalogues = ({ scope }: Call): boolean => scope === 'any'

/** SQL condition: a party of the organization is the seller of the catalogue. */
export const catalogueSoldBy = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(catalogues.sellerId, organizationPartyIds(db, organization))

const selectVisible = (db: Queryable, call: Call, id: string) =>
  db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), catalogueVisibleTo({ db }, call)))

/** Finds a catalogue that the caller may see. */
export async function findCatalogue(
  db: Queryable,
  call: Call,
  id: string
): Promise<CatalogueRow | undefined> {
  const [row] = await selectVisible(db, call, id)
  return row
}

/**
 * Locks a catalogue that the caller may see, and thereby its items, until the transaction ends.
 */
export async function lockCatalogue({ tx, call }: UnitOfWork, id: string): Promise<CatalogueRow | undefined> {
  const [row] = await selectVisible(tx, call, id).for('update')
  return row
}
