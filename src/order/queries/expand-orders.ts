import { and, asc, eq, isNull } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { viewReadableParties } from '../../agreement/lookup.js'
import { partyResource } from '../../agreement/resources.js'
import { viewReadableItems } from '../../catalogue/lookup.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { hasPermission } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { RawJson } from '../../platform/json/raw-json.js'
import { type ExpandedKind, loadExpanded } from '../../platform/rest/expand.js'
import type { Ports } from '../../ports.js'
import { orderLineResource } from '../model/resources.js'
import { orderSerializers } from '../store/serializers.js'
import { type LineRow, orderLines, orders } from '../store/tables.js'

/** Kinds of resources that a response can include beside its orders. */
export const orderExpansions = ['parties', 'orderLines', 'items'] as const
export type OrderExpansion = readonly (typeof orderExpansions)[number][]

/** A response includes at most this number of order lines, unless they are of one order. */
const MAX_LINES = 5000

/**
 * Reads the resources that orders refer to, as JSON by their URLs: those that the caller may read,
 * each as the caller reads it by its id. Undefined when there are too many order lines.
 * @param ids orders that the caller has been shown.
 */
export async function expandOrders(
  ports: Ports,
  actor: Actor,
  ids: readonly string[],
  expansion: OrderExpansion
): Promise<RawJson | undefined> {
  const needsLines = expansion.includes('orderLines') || expansion.includes('items')
  const lines = needsLines ? await loadLines(ports, ids) : []
  if (ids.length > 1 && lines.length > MAX_LINES) return undefined
  const kinds: Record<(typeof orderExpansions)[number], ExpandedKind> = {
    parties: { type: partyResource, load: () => readParties(ports, actor, ids) },
    orderLines: { type: orderLineResource, load: async () => readableLines(ports, actor, lines) },
    items: expandedItemsOf(ports, actor, lines)
  }
  return loadExpanded(
    ports.resourceUrls,
    expansion.map((name) => kinds[name])
  )
}

/** The items of order lines. */
export const expandedItemsOf = (ports: Ports, actor: Actor, lines: readonly LineRow[]): ExpandedKind => ({
  type: itemResource,
  load: () =>
    viewReadableItems(
      ports,
      actor,
      lines.map(({ itemId }) => itemId)
    )
})

const readableLines = (ports: Ports, actor: Actor, lines: readonly LineRow[]) =>
  hasPermission(actor, 'OrderLine.read') ? lines.map(orderSerializers(ports).line.toJson) : []

/** A single id is a parameter of its own, so that the statement goes to one node. */
const isOfOrders = (column: PgColumn, ids: readonly string[]) =>
  ids.length === 1 ? eq(column, ids[0]) : inIds(column, ids)

async function readParties(ports: Ports, actor: Actor, ids: readonly string[]) {
  const rows = await ports.db
    .select({ buyer: orders.buyerId, seller: orders.sellerId })
    .from(orders)
    .where(isOfOrders(orders.id, ids))
  return viewReadableParties(
    ports,
    actor,
    rows.flatMap(({ buyer, seller }) => [buyer, seller])
  )
}

const loadLines = ({ db }: Ports, ids: readonly string[]) =>
  db
    .select()
    .from(orderLines)
    .where(and(isOfOrders(orderLines.orderId, ids), isNull(orderLines.deletedAt)))
    .orderBy(asc(orderLines.orderId), asc(orderLines.id))
    .limit(MAX_LINES + 1)
