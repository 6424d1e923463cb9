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
import { firstEntries, type PageWithRows } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { attentionOf } from '../attention.js'
import { findDeliveredItems } from '../lookup.js'
import { orderResource } from '../model/resources.js'
import { isClosed } from '../model/states.js'
import type { LineWithDevices } from '../store/tables.js'
import { type LineRow, orders } from '../store/tables.js'
import { orderOf } from '../view.js'
import { loadLines } from './expand-orders.js'

/** Kinds of resources that a list of order lines can include. */
export const lineExpansions = ['orders', 'items'] as const
export type LineExpansion = readonly (typeof lineExpansions)[number][]

/**
 * Adds what lines refer to. The page ends earlier where it would become too large.
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
  const firstOf = (count: number) => firstEntries(page, count, positionOf)
  const fitting = expansion.includes('orders')
    ? firstOf(await countLinesFitting(ports, page.rows, bytes))
    : page
  return withExpanded(
    ports.resourceUrls,
    fitting,
    bytes,
    firstOf,
    lineKinds(ports, call, fitting.rows, expansion)
  )
}

/** The number of lines whose orders fit into a page. At least one does. */
async function countLinesFitting({ db }: Ports, lines: readonly LineRow[], bytes: number): Promise<number> {
  if (lines.length <= 1) return lines.length
  const rows = await db
    .select({ id: orders.id, bytes: sql<number>`${storedBytes('orders')}` })
    .from(orders)
    .where(
      inIds(
        orders.id,
        lines.map(({ orderId }) => orderId)
      )
    )
  const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]))
  let bytesLeft = bytes
  const end = lines.findIndex(({ orderId }, at) => {
    bytesLeft -= bytesOf.get(orderId) ?? 0
    bytesOf.delete(orderId)
    return bytesLeft < 0 && at > 0
  })
  return end < 0 ? lines.length : end
}

/**
 * The resources that lines refer to: those that the caller may read, each as the caller reads it by
 * its id.
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
  // The moves of an open order depend on its lines.
  const lines = open.length > 0 ? await loadLines(ports, open) : []
  const linesOf = new Map<string, LineRow[]>(open.map((id) => [id, []]))
  for (const line of lines) linesOf.get(line.orderId)?.push(line)
  const now = ports.now()
  return mapYielding(rows, (order) =>
    orderOf(ports, call, { order, lines: linesOf.get(order.id) ?? [], attention: attentionOf(order, now) })
  )
}
