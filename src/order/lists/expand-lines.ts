import { sql } from 'drizzle-orm'
import { viewReadableItems } from '../../catalogue/item/readable-items.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { storedBytes } from '../../db/sql/page.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { Call } from '../../platform/auth/call.js'
import { hasPermission } from '../../platform/auth/caller.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { type ExpandedKind, withExpanded } from '../../platform/rest/expand.js'
import { countFitting, firstEntries, type PageWithRows } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { findDeliveredItems } from '../lookup.js'
import { orderResource } from '../model/resources.js'
import { isClosed } from '../model/states.js'
import { orderOf } from '../serialize.js'
import { type LineRow, type LineWithDevices, orders } from '../store/tables.js'
import { loadLines } from './expand-orders.js'

/** Types of resources that a list of order lines can include. */
export const lineExpansions = ['orders', 'items'] as const
export type LineExpansion = readonly (typeof lineExpansions)[number][]

/**
 * Adds the resources that lines refer to. The page ends earlier if it would become too large.
 * @param positionOf makes the position of a line.
 */
export async function expandLines<R extends LineWithDevices, K>(
  ports: Ports,
  call: Call,
  page: PageWithRows<R, K>,
  positionOf: (row: R) => K,
  bytes: number,
  expansion: LineExpansion
): Promise<PageWithRows<R, K>> {
  const sizes = expansion.includes('orders')
    ? await loadOrderSizes(ports, page.rows)
    : new Map<string, number>()
  const count = countFitting(page.rows, bytes, ({ orderId }) => {
    const size = sizes.get(orderId) ?? 0
    sizes.delete(orderId)
    return size
  })
  const fitting = firstEntries(page, count, positionOf)
  const kinds = lineKinds(ports, call, fitting.rows, expansion)
  return withExpanded(ports.resourceUrls, fitting, positionOf, bytes, kinds)
}

/** Loads the sizes of the orders of lines, in bytes. */
async function loadOrderSizes({ db }: Ports, lines: readonly LineRow[]): Promise<Map<string, number>> {
  const ids = lines.map(({ orderId }) => orderId)
  const rows = await db
    .select({ id: orders.id, bytes: sql<number>`${storedBytes('orders')}` })
    .from(orders)
    .where(inIds(orders.id, ids))
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}

/**
 * The resources that lines refer to and that the caller may read, each as in its own GET.
 * @param lines lines of orders that the caller has been shown.
 */
function lineKinds(
  ports: Ports,
  call: Call,
  lines: readonly LineWithDevices[],
  expansion: LineExpansion
): ExpandedKind<LineWithDevices>[] {
  const itemsOf = ({ itemId, device }: LineWithDevices) => [itemId, device?.itemId ?? itemId]
  const kinds: Record<(typeof lineExpansions)[number], ExpandedKind<LineWithDevices>> = {
    orders: {
      type: orderResource,
      load: () => viewReadableOrders(ports, call, [...new Set(lines.map(({ orderId }) => orderId))]),
      idsOf: ({ orderId }) => [orderId]
    },
    items: {
      type: itemResource,
      load: () => viewReadableItems(ports, call, lines.flatMap(itemsOf), findDeliveredItems),
      idsOf: itemsOf
    }
  }
  return expansion.map((name) => kinds[name])
}

/** Reads orders that the caller has been shown, if it may read orders. */
export async function viewReadableOrders(ports: Ports, call: Call, ids: readonly string[]) {
  if (ids.length === 0 || !hasPermission(call.caller, 'Order.read')) return []
  const rows = await ports.db.select(writtenColumns(orders)).from(orders).where(inIds(orders.id, ids))
  const open = rows.filter(({ status }) => !isClosed(status)).map(({ id }) => id)
  // The allowed transitions of an open order depend on its lines.
  const linesOf = await loadLines(ports, open)
  return mapYielding(rows, (order) => orderOf(ports, call, { order, lines: linesOf.get(order.id) ?? [] }))
}
