import { inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { partiesOf } from '../agreement/lookup.js'
import { administeredSellers, filterAdministered } from '../agreement/visibility.js'
import type { Queryable } from '../db/driver/database.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import { problem } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { catalogues } from './tables.js'

/** The condition on a query over catalogues that they are within the caller's reach; none where that is everything. */
export function catalogueVisibleTo(ports: Pick<Ports, 'db' | 'today'>, actor: Actor): SQL | undefined {
  if (isUnlimited(actor)) return undefined
  return actor.scope === 'administered'
    ? sql`${catalogues.sellerId} in ${administeredSellers(ports, actor)}`
    : ofOrganization(ports.db, actor.organization ?? '')
}

/** Whether every catalogue is within the caller's reach. */
export const isUnlimited = ({ scope }: Actor): boolean => scope === 'any'

/** The condition on a query over catalogues that they are an organization's. */
export const ofOrganization = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(catalogues.sellerId, partiesOf(db, organization))

/**
 * Makes sure, in the transaction that writes, that a clerk's organization still reaches these sellers: a contract may have ended
 * since they were checked.
 * @throws Problem `busy`: sent again, the request is told what it may not name.
 */
export async function assertSellersWithinReach(
  { tx, actor }: UnitOfWork,
  { today }: Pick<Ports, 'today'>,
  sellerIds: readonly string[]
): Promise<void> {
  if (actor.scope !== 'administered') return
  const reached = await filterAdministered({ db: tx, today }, actor, sellerIds)
  if (sellerIds.some((id) => !reached.has(id)))
    throw problem('busy', 'A contract has changed meanwhile. Try again.', { headers: { 'retry-after': '1' } })
}
