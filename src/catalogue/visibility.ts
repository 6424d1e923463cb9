import { inArray, type Placeholder, type SQL } from 'drizzle-orm'
import { administeredPartyIds, organizationPartyIds } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'
import { catalogues } from './tables.js'

/** SQL condition: the caller may see the catalogue; undefined when it may see all. */
export function catalogueVisibleTo({ db }: Pick<Ports, 'db'>, call: Call): SQL | undefined {
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
