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
import { firstEntries, type PageWithRows } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { findDeliveredItems } from '../lookup.js'
import { orderLineResource } from '../model/resources.js'
import { toOrderLine } from '../serialize.js'
import { type LineRow, type OrderRow, orderLines, orders } from '../store/tables.js'
import { lineMovesOf } from '../view.js'

/** Kinds of resources that a response can include beside its orders. */
export const orderExpansions = ['parties', 'orderLines', 'items'] as const
export type OrderExpansion = readonly (typeof orderExpansions)[number][]

/** Estimated bytes of an order line and its item in a response. */
const LINE_BYTES = 1600

/**
 * Adds what orders refer to. The page ends earlier where it would become too large.
 * @param cursorOf makes the cursor of an order.
 */
export async function expandOrders<R extends { id: string }, K>(
  ports: Ports,
  call: Call,
  page: PageWithRows<R, K>,
  cursorOf: (row: R) => K,
  bytes: number,
  expansion: OrderExpansion
): Promise<PageWithRows<R, K>> {
  const idsOf = ({ rows }: PageWithRows<R, K>) => rows.map(({ id }) => id)
  const firstOf = (count: number) => firstEntries(page, count, cursorOf)
  const fitting = firstOf(await countFitting(ports, idsOf(page), expansion, bytes))
  const kinds = await orderKinds(ports, call, idsOf(fitting), expansion)
  const kindsOfRows = kinds.map((kind) => ({ ...kind, idsOf: ({ id }: R) => kind.idsOf(id) }))
  return withExpanded(ports.resourceUrls, fitting, bytes, firstOf, kindsOfRows)
}

/**
 * The number of orders whose lines fit into a page. Deleted lines count, so that an index has the
 * numbers; at least one order fits.
 */
async function countFitting(
  { db }: Ports,
  ids: readonly string[],
  expansion: OrderExpansion,
  bytes: number
): Promise<number> {
  if (!needsLines(expansion) || ids.length <= 1) return ids.length
  const rows = await db
    .select({ id: orderLines.orderId, lines: count() })
    .from(orderLines)
    .where(inIds(orderLines.orderId, ids))
    .groupBy(orderLines.orderId)
  const linesOf = new Map(rows.map(({ id, lines }) => [id, lines]))
  let bytesLeft = bytes
  const end = ids.findIndex((id, at) => {
    bytesLeft -= LINE_BYTES * (linesOf.get(id) ?? 0)
    return bytesLeft < 0 && at > 0
  })
  return end < 0 ? ids.length : end
}

const needsLines = (expansion: OrderExpansion) =>
  expansion.includes('orderLines') || expansion.includes('items')

/**
 * The resources that orders refer to: those that the caller may read, each as the caller reads it
 * by its id.
 * @param ids orders that the caller has been shown.
 */
export async function orderKinds(
  ports: Ports,
  call: Call,
  ids: readonly string[],
  expansion: OrderExpansion
): Promise<ExpandedKind<string>[]> {
  const lines = needsLines(expansion) ? await loadLines(ports, ids) : []
  const linesOf = new Map<string, LineRow[]>(ids.map((id) => [id, []]))
  for (const line of lines) linesOf.get(line.orderId)?.push(line)
  const facts = await loadOrders(ports, ids)
  const kinds: Record<(typeof orderExpansions)[number], ExpandedKind<string>> = {
    parties: {
      type: partyResource,
      load: () => viewReadableParties(ports, call, [...facts.values()].flatMap(partiesOf)),
      idsOf: (order) => partiesOf(facts.get(order))
    },
    orderLines: {
      type: orderLineResource,
      load: () => readableLines(ports, call, lines, facts),
      idsOf: (order) => (linesOf.get(order) ?? []).map(({ id }) => id)
    },
    items: {
      type: itemResource,
      load: () =>
        viewReadableItems(
          ports,
          call,
          lines.map(({ itemId }) => itemId),
          findDeliveredItems
        ),
      idsOf: (order) => (linesOf.get(order) ?? []).map(({ itemId }) => itemId)
    }
  }
  return expansion.map((name) => kinds[name])
}

async function readableLines(ports: Ports, call: Call, lines: readonly LineRow[], facts: OrderFacts) {
  if (!hasPermission(call.caller, 'OrderLine.read')) return []
  const shown = await withDevices(ports, call, lines)
  addRelatedSubjects(call, null, shown)
  return mapYielding(shown, (row) => {
    const order = facts.get(row.orderId)
    const allowedStatuses = order ? lineMovesOf(call, order.status, row.status) : []
    return toOrderLine(ports, call, row, { allowedStatuses })
  })
}

type OrderFact = Pick<OrderRow, 'id' | 'buyerId' | 'sellerId' | 'status'>
type OrderFacts = ReadonlyMap<string, OrderFact>

const partiesOf = (order?: OrderFact) => (order ? [order.buyerId, order.sellerId] : [])

/** The parties and the status of each order. */
async function loadOrders({ db }: Ports, ids: readonly string[]): Promise<OrderFacts> {
  const { id, buyerId, sellerId, status } = orders
  const rows = await db.select({ id, buyerId, sellerId, status }).from(orders).where(inIds(id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Loads the lines of orders, in order of creation. */
export const loadLines = ({ db }: Ports, ids: readonly string[]) =>
  db
    .select()
    .from(orderLines)
    .where(and(inIds(orderLines.orderId, ids), isNull(orderLines.deletedAt)))
    .orderBy(asc(orderLines.orderId), asc(orderLines.id))
