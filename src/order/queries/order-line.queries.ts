import { and, asc, eq, getTableColumns, gt, isNull } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { parsePatientFilter } from '../../clinical/reference.js'
import { isOneOf } from '../../db/sql/conditions.js'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import { jsonObjectOf } from '../../platform/json/raw-json.js'
import { loadExpanded, parseExpand, withExpanded } from '../../platform/rest/expand.js'
import { emptyPage, type Page, type PageRequest, pageOf } from '../../platform/rest/pagination.js'
import { parseFilterUrls } from '../../platform/rest/resource-urls.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { parseCodesFilter } from '../../terminology/known-code.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import type { LineStatus } from '../model/order-line.state.js'
import { orderResource } from '../model/resources.js'
import { loadOrderSnapshot } from '../store/load-order.js'
import { orderSerializers } from '../store/serializers.js'
import { orderLines, orders } from '../store/tables.js'
import { buyerParties, orderOfLine, orderVisibleTo, sellerParties } from '../store/visibility.js'
import { expandedItemsOf } from './expand-orders.js'

export const orderLineNotFound = () => problem('not-found', 'There is no such order line.')

/**
 * Reads an order line.
 * @throws Problem `not-found` when no order that the caller may see has such a line.
 */
export async function viewOrderLine(ports: Ports, actor: Actor, id: string): Promise<Versioned<OrderLine>> {
  const snapshot = await loadOrderSnapshot(ports, actor, orderOfLine(id))
  const line = snapshot?.lines.find((each) => each.id === id)
  if (!line || !snapshot) throw orderLineNotFound()
  actor.auditContext.addSubject(snapshot.order.patient, line.orderId)
  return new Versioned(orderSerializers(ports).line.toJson(line), revisionOf(line))
}

/** Kinds of resources that a list of order lines can include. */
export const lineExpansions = ['items'] as const

export interface OrderLineFilters {
  order?: string
  patient?: string
  item?: string
  action?: string[]
  /** Codes; each text may hold several, separated by commas. */
  status?: string[]
  /** Resources to include: `items`. */
  expand?: string[]
}

/**
 * Lists a page of the order lines that the caller may see, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLines(
  ports: Ports,
  actor: Actor,
  { patient: filter, action, status, expand, ...references }: OrderLineFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const { resourceUrls, terminology } = ports
  const patient = filter === undefined ? undefined : parsePatientFilter(filter)
  const ids = parseFilterUrls(resourceUrls, references, { order: orderResource, item: itemResource })
  const actions = parseCodesFilter(terminology, 'order-line-action', 'action', action)
  const statuses = parseCodesFilter<LineStatus>(terminology, 'order-line-status', 'status', status)
  const kinds = parseExpand(expand, lineExpansions)
  if (!ids) return kinds ? { ...emptyPage, expanded: jsonObjectOf({}) } : emptyPage
  const rows = await ports.db
    .select({ ...getTableColumns(orderLines), patient: orders.patient })
    .from(orderLines)
    .innerJoin(orders, eq(orders.id, orderLines.orderId))
    .innerJoin(buyerParties, eq(buyerParties.id, orders.buyerId))
    .innerJoin(sellerParties, eq(sellerParties.id, orders.sellerId))
    .where(
      and(
        orderVisibleTo(actor),
        isNull(orderLines.deletedAt),
        ids.order ? eq(orderLines.orderId, ids.order) : undefined,
        patient ? eq(orders.patient, patient) : undefined,
        ids.item ? eq(orderLines.itemId, ids.item) : undefined,
        actions ? isOneOf(orderLines.action, actions) : undefined,
        statuses ? isOneOf(orderLines.status, statuses) : undefined,
        after ? gt(orderLines.id, after) : undefined
      )
    )
    .orderBy(asc(orderLines.id))
    .limit(limit + 1)
  const firstOf = (maximum: number) =>
    pageOf(rows, { ...request, limit: maximum }, (row) => row.id, orderSerializers(ports).line.toJson)
  const whole = firstOf(limit)
  const page = kinds
    ? await withExpanded(whole, request.bytes, firstOf, (lines) =>
        loadExpanded(resourceUrls, [expandedItemsOf(ports, actor, lines)])
      )
    : whole
  for (const row of page.rows) actor.auditContext.addSubject(row.patient, row.orderId)
  return page
}
