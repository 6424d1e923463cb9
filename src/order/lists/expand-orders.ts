import { and, asc, count, isNull } from 'drizzle-orm'
import { viewReadableParties } from '../../agreement/party.queries.js'
import { partyResource } from '../../agreement/resources.js'
import { viewReadableItems } from '../../catalogue/item/readable-items.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { addRelatedSubjects, withDevices } from '../../device/store.js'
import type { Call } from '../../platform/auth/call.js'
import { hasPermission } from '../../platform/auth/caller.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { type ExpandedKind, withExpanded } from '../../platform/rest/expand.js'
import { countFitting, firstEntries, type PageWithRows } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { orderLineOf } from '../line.serialize.js'
import { findDeliveredItems } from '../lookup.js'
import { orderLineResource } from '../model/resources.js'
import type { OrderStatus } from '../model/states.js'
import { type LineRow, type OrderRow, orderLines } from '../store/tables.js'

/** Types of resources that a response can include in addition to its orders. */
export const orderExpansions = ['parties', 'orderLines', 'items'] as const
export type OrderExpansion = readonly (typeof orderExpansions)[number][]

/** Estimated bytes of an order line and its item in a response. */
const LINE_BYTES = 1600

/** The columns of an order that have its references. */
type ReferringOrder = Pick<OrderRow, 'id' | 'buyerId' | 'sellerId' | 'status'>

/**
 * Adds the resources that orders refer to. The page ends earlier if it would become too large.
 * @param cursorOf makes the cursor of an order.
 */
export async function expandOrders<R extends ReferringOrder, K>(
  ports: Ports,
  call: Call,
  page: PageWithRows<R, K>,
  cursorOf: (row: R) => K,
  bytes: number,
  expansion: OrderExpansion
): Promise<PageWithRows<R, K>> {
  const lines = needsLines(expansion) ? await countLines(ports, page.rows) : new Map<string, number>()
  const count = countFitting(page.rows, bytes, ({ id }) => LINE_BYTES * (lines.get(id) ?? 0))
  const fitting = firstEntries(page, count, cursorOf)
  const kinds = await orderKinds(ports, call, fitting.rows, expansion)
  return withExpanded(ports.resourceUrls, fitting, cursorOf, bytes, kinds)
}

/** Counts the lines of orders, including deleted lines, so that an index is sufficient. */
async function countLines({ db }: Ports, of: readonly ReferringOrder[]): Promise<Map<string, number>> {
  const ids = of.map(({ id }) => id)
  const rows = await db
    .select({ id: orderLines.orderId, lines: count() })
    .from(orderLines)
    .where(inIds(orderLines.orderId, ids))
    .groupBy(orderLines.orderId)
  return new Map(rows.map(({ id, lines }) => [id, lines]))
}

const needsLines = (expansion: OrderExpansion) =>
  expansion.includes('orderLines') || expansion.includes('items')

/**
 * The resources that orders refer to and that the caller may read, each as in its own GET.
 * @param shown orders that the caller has been shown.
 */
export async function orderKinds(
  ports: Ports,
  call: Call,
  shown: readonly ReferringOrder[],
  expansion: OrderExpansion
): Promise<ExpandedKind<ReferringOrder>[]> {
  const ids = needsLines(expansion) ? shown.map(({ id }) => id) : []
  const linesOf = await loadLines(ports, ids)
  const lines = [...linesOf.values()].flat()
  const partiesOf = ({ buyerId, sellerId }: ReferringOrder) => [buyerId, sellerId]
  const kinds: Record<(typeof orderExpansions)[number], ExpandedKind<ReferringOrder>> = {
    parties: {
      type: partyResource,
      load: () => viewReadableParties(ports, call, shown.flatMap(partiesOf)),
      idsOf: partiesOf
    },
    orderLines: {
      type: orderLineResource,
      load: () => viewReadableLines(ports, call, lines, new Map(shown.map(({ id, status }) => [id, status]))),
      idsOf: ({ id }) => (linesOf.get(id) ?? []).map((line) => line.id)
    },
    items: {
      type: itemResource,
      load: () => {
        const items = lines.map(({ itemId }) => itemId)
        return viewReadableItems(ports, call, items, findDeliveredItems)
      },
      idsOf: ({ id }) => (linesOf.get(id) ?? []).map(({ itemId }) => itemId)
    }
  }
  return expansion.map((name) => kinds[name])
}

async function viewReadableLines(
  ports: Ports,
  call: Call,
  lines: readonly LineRow[],
  statuses: ReadonlyMap<string, OrderStatus>
) {
  if (!hasPermission(call.caller, 'OrderLine.read')) return []
  const shown = await withDevices(ports, call, lines)
  addRelatedSubjects(call, null, shown)
  return mapYielding(shown, (row) => orderLineOf(ports, call, statuses.get(row.orderId) ?? 'DRAFT', row))
}

/** Loads the lines of orders by the ids of the orders, in order of creation. */
export async function loadLines(
  { db }: Ports,
  ids: readonly string[]
): Promise<ReadonlyMap<string, readonly LineRow[]>> {
  const linesOf = new Map<string, LineRow[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return linesOf
  const lines = await db
    .select()
    .from(orderLines)
    .where(and(inIds(orderLines.orderId, ids), isNull(orderLines.deletedAt)))
    .orderBy(asc(orderLines.id))
  for (const line of lines) linesOf.get(line.orderId)?.push(line)
  return linesOf
}
