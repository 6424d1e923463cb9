import { and, eq, isNull, notInArray, or, sql } from 'drizzle-orm'
import type { PartyUse } from '../agreement/lookup.js'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { closedStatuses } from './model/order.state.js'
import { orderLines, orders } from './store/tables.js'

/** Items of which an order may be. */
export interface ItemsSince {
  /** Items that did not exist before. */
  created: readonly string[]
  /** Items that could be ordered before, too. */
  changed: readonly string[]
  /** By the clock of the database. */
  since: Date
}

/** The clocks of instances, which state when orders are submitted, may differ by this much. */
const CLOCK_DIFFERENCE = sql`interval '1 minute'`

/**
 * Finds which of the items were ordered: created ones ever, changed ones since. Drafts count,
 * except deleted ones: a draft is an order that somebody is about to submit.
 */
export async function findOrderedSince(
  db: Queryable,
  { created, changed, since }: ItemsSince
): Promise<string[]> {
  const at = sql`${since.toISOString()}::timestamptz`
  const isSince = and(
    // By the clock of the database. A later step of an earlier order changes it, too.
    sql`${orders.changedAt} >= ${at}`,
    or(isNull(orders.submittedAt), sql`${orders.submittedAt} >= ${at} - ${CLOCK_DIFFERENCE}`)
  )
  const rows = await db
    .selectDistinct({ itemId: orderLines.itemId })
    .from(orderLines)
    .innerJoin(orders, eq(orders.id, orderLines.orderId))
    .where(
      and(
        or(inIds(orderLines.itemId, created), and(inIds(orderLines.itemId, changed), isSince)),
        isNull(orderLines.deletedAt),
        isNull(orders.deletedAt)
      )
    )
    .orderBy(orderLines.itemId)
  return rows.map(({ itemId }) => itemId)
}

/** Orders that are not closed need their buyer and seller, drafts too. */
export const inOpenOrders: PartyUse = {
  what: 'open orders',
  async exists(db, partyId, role) {
    if (role === 'ACCOUNTING') return false
    const party = role === 'BUYER' ? orders.buyerId : orders.sellerId
    const rows = await db
      .select({ id: orders.id })
      .from(orders)
      .where(and(eq(party, partyId), notInArray(orders.status, closedStatuses), isNull(orders.deletedAt)))
      .limit(1)
    return rows.length > 0
  }
}
