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
  rawJsonPage
} from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { sideOf } from '../store/visibility.js'
import { countFitting, type OrderExpansion, orderExpansions, orderKinds } from './expand-orders.js'
import type { OrderListRow } from './first-page-cache.js'
import { type OrderFilters, parseOrderSearch } from './order-filters.js'
import { countOrders, type OrderList, selectOrderPage } from './order-pages.js'
import type { OrderPosition } from './order-sort.js'
import { findUpdatedUntil } from './updated-until.js'

/**
 * Where a page ends. The first page sets `until` and `total` for all: later changes may belong to
 * pages that were read before. The id only, where there is nothing else.
 */
export type OrderCursor =
  | string
  | (OrderPosition & { until?: string | undefined; total?: string | undefined })

/** Lists are counted up to this number of entries. */
const MAX_COUNT = 10_000

/**
 * Parses the filters and the resources to include.
 * @throws Problem `invalid-query`.
 */
export const parseOrderQuery = (ports: FilterPorts, filters: OrderFilters) =>
  parseTogether(
    () => parseOrderSearch(ports, filters),
    () => parseExpand(filters.expand, orderExpansions)
  )

/**
 * Lists a page of the orders that the caller may see, by default newest first.
 * @throws Problem `invalid-query`.
 */
export async function listOrders(
  ports: Ports,
  call: Call,
  filters: OrderFilters,
  request: PageRequest<OrderCursor>
): Promise<Page<OrderCursor>> {
  const [search, expansion] = parseOrderQuery(ports, filters)
  const after = typeof request.after === 'string' ? { id: request.after } : request.after
  const list: OrderList | undefined = search && {
    side: sideOf(call),
    organization: call.caller.organization ?? '',
    search,
    sort: filters.sort ?? '-created'
  }
  const [until, total] = await Promise.all([
    filters.updatedSince === undefined ? undefined : (after?.until ?? nextSince(ports, filters.updatedSince)),
    filters.count ? (after?.total ?? totalOf(ports, list)) : undefined
  ])
  const headers = {
    ...(until !== undefined && { 'x-updated-until': until }),
    ...(total !== undefined && { 'x-total-count': total })
  }
  if (!list) return { ...emptyPage, headers, ...(expansion && { expanded: jsonObjectOf({}) }) }
  const limits = { rows: request.limit + 1, bytes: request.bytes }
  const rows = await selectOrderPage(ports, list, after, limits)
  const cursorOf = ([id, , value]: OrderListRow) =>
    value || until || total ? { id: String(id), value: value?.toString(), until, total } : String(id)
  const firstOf = (limit: number) => rawJsonPage(rows, { ...request, limit }, cursorOf)
  const whole = firstOf(request.limit)
  const page = expansion ? await expanded(ports, call, whole, request.bytes, firstOf, expansion) : whole
  for (const [id, patient] of page.rows) call.auditContext.addSubject(String(patient), String(id))
  return { ...page, headers }
}

type ListedPage = PageWithRows<OrderListRow, OrderCursor>

/** Adds what the orders refer to. The page ends earlier where it would become too large. */
async function expanded(
  ports: Ports,
  call: Call,
  whole: ListedPage,
  bytes: number,
  firstOf: (limit: number) => ListedPage,
  expansion: OrderExpansion
): Promise<ListedPage> {
  const idsOf = ({ rows }: ListedPage) => rows.map(([id]) => String(id))
  const fitting = firstOf(await countFitting(ports, idsOf(whole), expansion, bytes))
  const kinds = await orderKinds(ports, call, idsOf(fitting), expansion)
  const kindsOfRows = kinds.map((kind) => ({
    ...kind,
    idsOf: ([id]: OrderListRow) => kind.idsOf(String(id))
  }))
  return withExpanded(ports.resourceUrls, fitting, bytes, firstOf, kindsOfRows)
}

/** The next poll begins where this one ends, or where this one begins if that is not known. */
const nextSince = async (ports: Ports, since: string) => (await findUpdatedUntil(ports)) ?? since

async function totalOf(ports: Ports, list: OrderList | undefined): Promise<string> {
  const count = list ? await countOrders(ports, list, MAX_COUNT + 1) : 0
  return count > MAX_COUNT ? `${MAX_COUNT}+` : `${count}`
}
