import { inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { organizationPartyIds } from '../agreement/lookup.js'
import { administeredSellers, filterAdministered } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import { problem } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { catalogues } from './tables.js'

/** SQL condition: the caller may see the catalogue; undefined when it may see all. */
export function catalogueVisibleTo(ports: Pick<Ports, 'db' | 'today'>, actor: Actor): SQL | undefined {
  if (seesAllCatalogues(actor)) return undefined
  return actor.scope === 'administered'
    ? sql`${catalogues.sellerId} in ${administeredSellers(ports, actor)}`
    : catalogueSoldBy(ports.db, actor.organization ?? '')
}

/** Whether the caller may see all catalogues. */
export const seesAllCatalogues = ({ scope }: Actor): boolean => scope === 'any'

/** SQL condition: a party of the organization is the seller of the catalogue. */
export const catalogueSoldBy = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(catalogues.sellerId, organizationPartyIds(db, organization))

/**
 * Checks, in the transaction that writes, that a clerk's organization still administers these
 * sellers: a contract may have changed since the validation.
 * @throws Problem `busy`; a retry of the request then reports the invalid reference.
 */
export async function assertSellersAdministered(
  { tx, actor }: UnitOfWork,
  { today }: Pick<Ports, 'today'>,
  sellerIds: readonly string[]
): Promise<void> {
  if (actor.scope !== 'administered') return
  const administered = await filterAdministered({ db: tx, today }, actor, sellerIds)
  if (sellerIds.some((id) => !administered.has(id)))
    throw problem('busy', 'A contract changed during the request. Try again.', {
      headers: { 'retry-after': '1' }
    })
}
