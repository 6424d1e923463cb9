import { and, asc, eq, getTableColumns, gt, isNull } from 'drizzle-orm'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, pageOf } from '../../platform/rest/pagination.js'
import { parseFilterUrls } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { parseCodeFilter } from '../../terminology/known-code.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import type { LineStatus } from '../model/order-line.state.js'
import { orderResource } from '../model/resources.js'
import { loadOrderSnapshot } from '../store/load-order.js'
import { orderSerializers } from '../store/serializers.js'
import { orderLines, orders } from '../store/tables.js'
import { buyerParties, orderOfLine, orderVisibleTo, sellerParties } from '../store/visibility.js'

export const orderLineNotFound = () => problem('not-found', 'There is no such order line.')

/**
 * Reads an order line.
 * @throws Problem `not-found` when no order that the caller may see has such a line.
 */
export async function viewOrderLine(ports: Ports, actor: Actor, id: string): Promise<OrderLine> {
  const snapshot = await loadOrderSnapshot(ports, actor, orderOfLine(id))
  const line = snapshot?.lines.find((each) => each.id === id)
  if (!line || !snapshot) throw orderLineNotFound()
  actor.auditContext.addSubject(snapshot.order.patient, line.orderId)
  return orderSerializers(ports).line.toJson(line)
}

export interface OrderLineFilters {
  order?: string
  status?: string
}

/**
 * Lists a page of the order lines that the caller may see, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLines(
  ports: Ports,
  actor: Actor,
  { status, ...others }: OrderLineFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const ids = parseFilterUrls(ports.resourceUrls, others, { order: orderResource })
  const code = parseCodeFilter(ports.terminology, 'order-line-status', 'status', status) as
    | LineStatus
    | undefined
  if (!ids) return emptyPage
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
        code ? eq(orderLines.status, code) : undefined,
        after ? gt(orderLines.id, after) : undefined
      )
    )
    .orderBy(asc(orderLines.id))
    .limit(limit + 1)
  const page = pageOf(rows, request, (row) => row.id, orderSerializers(ports).line.toJson)
  for (const row of page.rows) actor.auditContext.addSubject(row.patient, row.orderId)
  return page
}
