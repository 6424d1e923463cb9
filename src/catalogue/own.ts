import { inArray, type SQL } from 'drizzle-orm'
import { partiesOf } from '../agreement/lookup.js'
import type { Queryable } from '../db/connection.js'
import type { Actor } from '../platform/actor.js'
import { catalogues } from './tables.js'

/** The condition on a query over catalogues that they are within the caller's reach; none where that is everything. */
export function withinReach(db: Queryable, actor: Actor): SQL | undefined {
  return actor.scope === 'any'
    ? undefined
    : inArray(catalogues.sellerId, partiesOf(db, actor.organization ?? ''))
}
