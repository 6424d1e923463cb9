import { inArray, type Placeholder, type SQL } from 'drizzle-orm'
import { administeredPartyIds, organizationPartyIds } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import type { Actor } from '../platform/auth/actor.js'
import type { Ports } from '../ports.js'
import { catalogues } from './tables.js'

/** SQL condition: the caller may see the catalogue; undefined when it may see all. */
export function catalogueVisibleTo({ db }: Pick<Ports, 'db'>, actor: Actor): SQL | undefined {
  if (seesAllCatalogues(actor)) return undefined
  return actor.scope === 'administered'
    ? inArray(catalogues.sellerId, administeredPartyIds(db, actor))
    : catalogueSoldBy(db, actor.organization ?? '')
}

/** Whether the caller may see all catalogues. */
export const seesAllCatalogues = ({ scope }: Actor): boolean => scope === 'any'

/** SQL condition: a party of the organization is the seller of the catalogue. */
export const catalogueSoldBy = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(catalogues.sellerId, organizationPartyIds(db, organization))
