import { inArray, type Placeholder, type SQL } from 'drizzle-orm'
import { partiesOf } from '../agreement/lookup.js'
import type { Queryable } from '../db/connection.js'
import type { Actor } from '../platform/actor.js'
import { catalogues } from './tables.js'

/** The condition on a query over catalogues that they are within the caller's reach; none where that is everything. */
export function withinReach(db: Queryable, actor: Actor): SQL | undefined {
  return isUnlimited(actor) ? undefined : ofOrganization(db, actor.organization ?? '')
}

/** Whether every catalogue is within the caller's reach. */
export const isUnlimited = ({ scope }: Actor): boolean => scope === 'any'

/** The condition on a query over catalogues that they are an organization's. */
export const ofOrganization = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(catalogues.sellerId, partiesOf(db, organization))
