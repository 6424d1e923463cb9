import { and, eq, isNotNull, isNull, notInArray } from 'drizzle-orm'
import type { PartyUse } from '../agreement/lookup.js'
import { ofOrganization } from '../agreement/side.js'
import { inIds } from '../db/sql/conditions.js'
import { loadDevices } from '../device/store.js'
import { devices } from '../device/tables.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'
import { closedStatuses } from './model/states.js'
import { orderLines, orders } from './store/tables.js'
import { orderTexts } from './texts.js'

/** Orders that are not closed, including drafts, need their buyer and seller. */
export const inOpenOrders: PartyUse = {
  what: orderTexts.openOrders,
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

/**
 * Finds the items of which the seller delivered a device, also items of another seller: a service
 * for any model can replace a device of another seller.
 */
export async function findDeliveredItems(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  ids: readonly string[]
): Promise<string[]> {
  if (call.scope !== 'own-seller') return []
  const rows = await db
    .selectDistinct({ id: devices.itemId })
    .from(devices)
    .where(and(inIds(devices.itemId, ids), ofOrganization(devices, 'seller', call.caller.organization ?? '')))
  return rows.map(({ id }) => id)
}

/** A line that delivered a device. */
export interface RelatedLine {
  line: string
  order: string
}

/**
 * Finds the visible lines to which lines of shown orders relate, by the ids of the lines of shown
 * orders.
 */
export async function findRelatedLines(
  ports: Pick<Ports, 'db'>,
  call: Call,
  lines: readonly { order: string; id: string }[]
): Promise<ReadonlyMap<string, RelatedLine>> {
  const orderIds = lines.map(({ order }) => order)
  const ids = lines.map(({ id }) => id)
  const rows = await ports.db
    .select({ id: orderLines.id, relatedTo: orderLines.relatedTo })
    .from(orderLines)
    .where(
      and(inIds(orderLines.orderId, orderIds), inIds(orderLines.id, ids), isNotNull(orderLines.relatedTo))
    )
  const related = rows.map(({ id, relatedTo }) => ({ id, line: relatedTo ?? '' }))
  const devices = await loadDevices(
    ports,
    call,
    related.map(({ line }) => line)
  )
  return new Map(
    related.flatMap(({ id, line }) => {
      const device = devices.get(line)
      return device?.isShown ? [[id, { line, order: device.orderId }]] : []
    })
  )
}
