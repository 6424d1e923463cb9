import { and, eq, gte, lt, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { parsePatientFilter } from '../../clinical/reference.js'
import { jsonText, storedJsonSize } from '../../db/json/serializer.js'
import { likeAll } from '../../db/sql/conditions.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../../db/sql/page.js'
import type { Actor } from '../../platform/auth/actor.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { parseFilterUrls } from '../../platform/rest/resource-urls.js'
import { endOfRange, startOfRange } from '../../platform/rest/time-range.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import { searchPatterns } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { parseCodeFilter } from '../../terminology/known-code.js'
import type { OrderStatus } from '../model/order.state.js'
import { orderSerializers } from '../store/serializers.js'
import { orders } from '../store/tables.js'
import { fromOrders, type Side, sideOf, visibleToSide } from '../store/visibility.js'

export interface OrderFilters {
  buyer?: string
  seller?: string
  patient?: string
  status?: string
  priority?: boolean
  /** Range of creation: first and last day, or a first instant and an exclusive end. */
  from?: string
  to?: string
  q?: string
}

/** The filters as parameters of the statement: ids, timestamps as text, words as LIKE patterns. */
interface OrderListParams {
  buyer: string | undefined
  seller: string | undefined
  patient: string | undefined
  status: OrderStatus | undefined
  priority: boolean | undefined
  from: string | undefined
  to: string | undefined
  words: string[] | undefined
  after: string | undefined
}

type ListedOrder = [id: Buffer, patient: Buffer, json: Buffer | null]

const pages = memoizePerApp((ports: Ports) => {
  const { order } = orderSerializers(ports)
  const shown = {
    table: 'orders',
    columns: sql`orders.id, orders.patient`,
    json: jsonText(order, 'orders'),
    size: storedJsonSize(order, 'orders'),
    orderBy: sql`orders.id desc`
  }
  const ofSide = (side: Side) =>
    dynamicQuery<OrderListParams, PageLimits & { organization: string }, ListedOrder>((active) => {
      const conditions = [
        visibleToSide(side, sql.placeholder('organization')),
        active.buyer && eq(orders.buyerId, active.buyer),
        active.seller && eq(orders.sellerId, active.seller),
        active.patient && eq(orders.patient, active.patient),
        active.status && eq(orders.status, active.status),
        active.priority && eq(orders.priority, active.priority),
        active.from && gte(orders.createdAt, sql`${active.from}::timestamptz`),
        active.to && lt(orders.createdAt, sql`${active.to}::timestamptz`),
        active.words && likeAll(orders.searchText, active.words),
        active.after && lt(orders.id, active.after)
      ]
      return pageStatement({ ...shown, from: fromOrders, where: and(...conditions) })
    })
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
})

/**
 * Lists a page of the orders that the caller may see, newest first.
 * @throws Problem `invalid-query`.
 */
export async function listOrders(
  ports: Ports,
  actor: Actor,
  { patient: filter, status, priority, from, to, q, ...parties }: OrderFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { db, resourceUrls, terminology } = ports
  const patient = filter === undefined ? undefined : parsePatientFilter(filter)
  const ids = parseFilterUrls(resourceUrls, parties, { buyer: partyResource, seller: partyResource })
  const code = parseCodeFilter(terminology, 'order-status', 'status', status) as OrderStatus | undefined
  if (!ids) return emptyPage
  const params: OrderListParams = {
    buyer: ids.buyer,
    seller: ids.seller,
    patient,
    status: code,
    priority,
    from: from === undefined ? undefined : startOfRange(ports, 'from', from),
    to: to === undefined ? undefined : endOfRange(ports, 'to', to),
    words: searchPatterns(ports.limits, q),
    after: request.after
  }
  const rows = await pages(ports)[sideOf(actor)](db, params, {
    organization: actor.organization ?? '',
    rows: request.limit + 1,
    bytes: request.bytes
  })
  const page = rawJsonPage(rows, request, ([id]) => String(id))
  for (const [id, patient] of page.rows) actor.auditContext.addSubject(String(patient), String(id))
  return page
}
