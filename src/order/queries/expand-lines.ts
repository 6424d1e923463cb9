import { getTableColumns, sql } from 'drizzle-orm'
import { viewReadableItems } from '../../catalogue/lookup.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { storedBytes } from '../../db/sql/page.js'
import { hasPermission } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { ExpandedKind } from '../../platform/rest/expand.js'
import type { Ports } from '../../ports.js'
import type { LineWithDevices } from '../device/line-devices.js'
import type { Attention } from '../model/attention.js'
import { isClosed } from '../model/order.state.js'
import { orderResource } from '../model/resources.js'
import { attentionJson, attentionOfOrder } from '../store/attention.js'
import { type LineRow, orders } from '../store/tables.js'
import { loadLines } from './expand-orders.js'
import { orderOf } from './view-order.js'

/** Kinds of resources that a list of order lines can include. */
export const lineExpansions = ['orders', 'items'] as const
export type LineExpansion = readonly (typeof lineExpansions)[number][]

/** The number of lines whose orders fit into a page. At least one does. */
export async function countLinesFitting(
  { db }: Ports,
  lines: readonly LineRow[],
  bytes: number
): Promise<number> {
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
export async function lineKinds(
  ports: Ports,
  call: Call,
  lines: readonly LineWithDevices[],
  expansion: LineExpansion
): Promise<ExpandedKind<LineWithDevices>[]> {
  const itemsOf = ({ itemId, device }: LineWithDevices) => [itemId, device?.itemId ?? itemId]
  const kinds: Record<(typeof lineExpansions)[number], ExpandedKind<LineWithDevices>> = {
    orders: {
      type: orderResource,
      load: () => viewReadableOrders(ports, call, [...new Set(lines.map(({ orderId }) => orderId))]),
      idsOf: ({ orderId }) => [orderId]
    },
    items: {
      type: itemResource,
      load: () => viewReadableItems(ports, call, lines.flatMap(itemsOf)),
      idsOf: itemsOf
    }
  }
  return expansion.map((name) => kinds[name])
}

/** Reads orders that the caller has been shown, if it may read orders. */
export async function viewReadableOrders(ports: Ports, call: Call, ids: readonly string[]) {
  if (ids.length === 0 || !hasPermission(call.caller, 'Order.read')) return []
  const now = sql`${ports.now().toISOString()}::timestamptz`
  const attention = sql<
    Attention[]
  >`(${attentionJson(ports, attentionOfOrder(ports, { id: sql`orders.id`, now }))})::json`
  const rows = await ports.db
    .select({ ...getTableColumns(orders), attention })
    .from(orders)
    .where(inIds(orders.id, ids))
  const open = rows.filter(({ status }) => !isClosed(status)).map(({ id }) => id)
  // The moves of an open order depend on its lines.
  const lines = open.length > 0 ? await loadLines(ports, open) : []
  const linesOf = new Map<string, LineRow[]>(open.map((id) => [id, []]))
  for (const line of lines) linesOf.get(line.orderId)?.push(line)
  return mapYielding(rows, ({ attention, ...order }) =>
    orderOf(ports, call, { order, lines: linesOf.get(order.id) ?? [], attention })
  )
}
