import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCodes, byPatient, byReference } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { jsonObjectOf } from '../../platform/json/raw-json.js'
import { parseExpand, withExpanded } from '../../platform/rest/expand.js'
import { emptyPage, type Page, type PageRequest, pageOf } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { orderResource } from '../model/resources.js'
import { orderSerializers } from '../store/serializers.js'
import { orderLines } from '../store/tables.js'
import { expandedItemsOf } from './expand-orders.js'
import { selectOrdersOfLines, withFewOrders } from './orders-of-lines.js'

/** Kinds of resources that a list of order lines can include. */
export const lineExpansions = ['items'] as const

/** The filters of the list of order lines. Orders are found by the first three. */
export const orderLineFilters = listFilters(
  byReference('order', orderResource, 'URL of the order.'),
  byPatient('URL of the clinical Patient of the order.'),
  byReference(
    'item',
    itemResource,
    'URL of the catalogue item.',
    // In no index: it would find the lines of everybody.
    (item) => sql`${orderLines.itemId} is not distinct from ${item}`
  ),
  byCodes('action', 'order-line-action', 'Code of an order line action.', orderLines.action),
  byCodes('status', 'order-line-status', 'Code of an order line status.', orderLines.status)
)
export type OrderLineFilters = Given<typeof orderLineFilters> & {
  /** Resources to include: `items`. */
  expand?: string[]
}
type LineSearch = Params<typeof orderLineFilters>

/** Where a page ends: the ids of an order and of a line in it. */
export interface LinePosition {
  order: string
  line: string
}

/** Comes after every line of an order. */
const LAST_LINE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Orders whose lines are read at once. */
const ORDERS_AT_ONCE = 500

/** Milliseconds for which a request looks for further lines that match its filters. */
const MAX_SCAN_MS = 1000

/**
 * Lists a page of the order lines that the caller may see, order by order, in order of creation. It
 * may have fewer lines than its limit although more follow.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLines(
  ports: Ports,
  call: Call,
  { expand, ...filters }: OrderLineFilters,
  request: PageRequest<LinePosition>
): Promise<Page<LinePosition>> {
  const search = orderLineFilters.parse(ports, filters)
  const kinds = parseExpand(expand, lineExpansions)
  if (!search) return kinds ? { ...emptyPage, expanded: jsonObjectOf({}) } : emptyPage
  const { rows, next } = await findLines(ports, call, search, request)
  const { line } = orderSerializers(ports)
  const firstOf = (limit: number) => pageOf(rows, { ...request, limit }, positionOf, line.toJson)
  const whole = firstOf(request.limit)
  const page = kinds
    ? await withExpanded(ports.resourceUrls, whole, request.bytes, firstOf, [
        expandedItemsOf(ports, call, whole.rows)
      ])
    : whole
  for (const row of page.rows) call.auditContext.addSubject(row.patient, row.orderId)
  return { ...page, next: page.next ?? next }
}

type FoundLine = typeof orderLines.$inferSelect & { patient: string }

const positionOf = ({ orderId, id }: FoundLine): LinePosition => ({ order: orderId, line: id })

/**
 * Finds up to one line more than the limit.
 * @returns `next`, unless all orders were looked at: the position to go on from.
 */
async function findLines(
  ports: Ports,
  call: Call,
  search: LineSearch,
  { limit, after }: PageRequest<LinePosition>
): Promise<{ rows: readonly FoundLine[]; next: LinePosition | undefined }> {
  const { order, patient, item } = search
  const ofOrders = await withFewOrders(ports, { order, patient, item })
  const end = performance.now() + MAX_SCAN_MS
  const rows: FoundLine[] = []
  for (let position = after; ; ) {
    const orders = await selectOrdersOfLines(ports, call, ofOrders, position?.order, ORDERS_AT_ONCE)
    const patients = new Map(orders.map(({ id, patient }) => [id, patient]))
    const lines = await selectLines(ports, search, [...patients.keys()], position, limit + 1 - rows.length)
    for (const line of lines) rows.push({ ...line, patient: patients.get(line.orderId) ?? '' })
    const last = orders.length === ORDERS_AT_ONCE ? orders.at(-1) : undefined
    position = last && { order: last.id, line: LAST_LINE }
    if (!position || rows.length > limit || performance.now() > end) return { rows, next: position }
  }
}

const selectLines = (
  { db }: Ports,
  search: LineSearch,
  orderIds: readonly string[],
  after: LinePosition | undefined,
  maximum: number
) => {
  const [one, ...others] = orderIds
  return db
    .select(getTableColumns(orderLines))
    .from(orderLines)
    .where(
      and(
        // In a cluster the lines of one order are on one node.
        one !== undefined && others.length === 0
          ? eq(orderLines.orderId, one)
          : inIds(orderLines.orderId, orderIds),
        isNull(orderLines.deletedAt),
        orderLineFilters.where(search),
        after
          ? sql`(${orderLines.orderId}, ${orderLines.id}) > (${after.order}::uuid, ${after.line}::uuid)`
          : undefined
      )
    )
    .orderBy(asc(orderLines.orderId), asc(orderLines.id))
    .limit(maximum)
}
