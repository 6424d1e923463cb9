import type { FilterPorts } from '../../filters/filter.js'
import type { Call } from '../../platform/auth/call.js'
import { parseTogether } from '../../platform/errors/problem.js'
import { jsonObjectOf } from '../../platform/json/raw-json.js'
import { parseExpand, withExpanded } from '../../platform/rest/expand.js'
import {
  emptyPage,
  type Page,
  type PageRequest,
  type PageWithRows,
  pageOf
} from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { addRelatedSubjects } from '../device/line-devices.js'
import { orderSerializers } from '../store/serializers.js'
import { countLinesFitting, type LineExpansion, lineExpansions, lineKinds } from './expand-lines.js'
import { type FoundLine, findLines, positionOf } from './find-lines.js'
import type { LinePosition } from './line-candidates.js'
import { type OrderLineFilters, parseLineSearch } from './order-line-filters.js'

/**
 * Parses the filters and the resources to include.
 * @throws Problem `invalid-query`.
 */
export const parseLineQuery = (ports: FilterPorts, query: OrderLineFilters) =>
  parseTogether(
    () => parseLineSearch(ports, query),
    () => parseExpand(query.expand, lineExpansions)
  )

/**
 * Lists a page of the order lines that the caller may see, order by order, in order of creation, or
 * by their agreed times. It may have fewer lines than its limit although more follow.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLines(
  ports: Ports,
  call: Call,
  query: OrderLineFilters,
  request: PageRequest<LinePosition>
): Promise<Page<LinePosition>> {
  const [search, expansion] = parseLineQuery(ports, query)
  if (!search) return expansion ? { ...emptyPage, expanded: jsonObjectOf({}) } : emptyPage
  const { rows, next } = await findLines(ports, call, search, request)
  const { line } = orderSerializers(ports)
  const firstOf = (limit: number) => pageOf(rows, { ...request, limit }, positionOf, line.toJson)
  const whole = firstOf(request.limit)
  const page = expansion ? await expanded(ports, call, whole, request.bytes, firstOf, expansion) : whole
  for (const row of page.rows) {
    call.auditContext.addSubject(row.patient, row.orderId)
    addRelatedSubjects(call, row.patient, [row])
  }
  return { ...page, next: page.next ?? next }
}

type ListedPage = PageWithRows<FoundLine, LinePosition>

/** Adds what the lines refer to. The page ends earlier where it would become too large. */
async function expanded(
  ports: Ports,
  call: Call,
  whole: ListedPage,
  bytes: number,
  firstOf: (limit: number) => ListedPage,
  expansion: LineExpansion
): Promise<ListedPage> {
  const hasOrders = expansion.includes('orders')
  const fitting = hasOrders ? firstOf(await countLinesFitting(ports, whole.rows, bytes)) : whole
  const kinds = await lineKinds(ports, call, fitting.rows, expansion)
  return withExpanded(ports.resourceUrls, fitting, bytes, firstOf, kinds)
}
