import { and, eq, isNull, notInArray } from 'drizzle-orm'
import type { PartyUse } from '../agreement/lookup.js'
import { closedStatuses } from './model/order.state.js'
import { orders } from './store/tables.js'

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
