import { and, eq } from 'drizzle-orm'
import { sideOf } from '../../agreement/side.js'
import { withCurrentPatient } from '../../clinical/current-patient.js'
import type { FilterPorts } from '../../filters/filter.js'
import type { Call } from '../../platform/auth/call.js'
import { parseAll } from '../../platform/errors/query-problem.js'
import { parseExpand } from '../../platform/rest/expand.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import { digestOf } from '../../platform/rest/run-once.js'
import type { Ports } from '../../ports.js'
import { attentionOf } from '../attention.js'
import { toOrder } from '../serialize.js'
import { orders } from '../store/tables.js'
import { visibleTo } from '../store/visibility.js'
import { expandOrders, orderExpansions } from './expand-orders.js'
import { type OrderFilters, type OrderSearch, parseOrderSearch } from './order-filters.js'
import type { OrderPosition } from './order-sort.js'
import {
  countOrders,
  findUpdatedUntil,
  type ListedOrder,
  type OrderList,
  selectOrderPage
} from './select-orders.js'

/**
 * The end of a page. The first page sets `until` and `total` for all pages, because later changes
 * may belong to pages that were already read.
 */
export type OrderCursor = OrderPosition & { until?: string | undefined; total?: Total | undefined }

/** The number of the orders that a reader sees. Another reader of the cursor must not learn it. */
interface Total {
  count: string
  /** A digest of the access of the reader, which keeps the cursor short. */
  reader: string
}

/** Lists are counted up to this number of entries. */
const MAX_COUNT = 10_000

export const parseOrderQuery = (ports: FilterPorts, filters: OrderFilters) =>
  parseAll(
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
  const { after } = request
  const now = ports.now()
  const list: OrderList | undefined = search && {
    side: sideOf(call),
    organization: call.caller.organization ?? '',
    search: await withCurrentPatient(ports.db, await withNumberOrWords(ports, call, search)),
    sort: filters.sort ?? '-created',
    now
  }
  const reader = digestOf(Buffer.from(`${call.scope} ${call.caller.organization}`)).toString('base64url')
  const known = after?.total?.reader === reader ? after.total : undefined
  const [until, total] = await Promise.all([
    filters.updatedSince === undefined ? undefined : (after?.until ?? findUpdatedUntil(ports)),
    filters.count ? (known ?? totalOf(ports, list, reader)) : undefined
  ])
  const headers = {
    ...(until !== undefined && { 'x-updated-until': until }),
    ...(total !== undefined && { 'x-total-count': total.count })
  }
  if (!list) return { ...emptyPage, headers, ...(expansion && { expanded: '{}' }) }
  const limits = { rows: request.limit + 1, bytes: request.bytes }
  const rows = await selectOrderPage(ports, list, after, limits)
  const cursorOf = ({ id, sortValue }: ListedOrder) => ({ id, value: sortValue ?? undefined, until, total })
  const jsonOf = (row: ListedOrder) =>
    JSON.stringify(toOrder(ports, call, row, { attention: attentionOf(row, now) }))
  const whole = await serializedPage(rows, request, cursorOf, jsonOf, (rows[0]?.found ?? 0) > rows.length)
  const page = expansion ? await expandOrders(ports, call, whole, cursorOf, request.bytes, expansion) : whole
  for (const { id, patient } of page.rows) call.auditContext.addSubject(patient, id)
  return { ...page, headers }
}

/**
 * A search for the number in `q` if the caller sees an order with this number, otherwise for the
 * words. No index finds both at once.
 */
async function withNumberOrWords({ db }: Ports, call: Call, search: OrderSearch): Promise<OrderSearch> {
  const { number } = search
  if (number === undefined) return search
  const found = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.number, number), visibleTo(orders, call)))
  return found.length > 0 ? search : { ...search, number: undefined }
}

async function totalOf(ports: Ports, list: OrderList | undefined, reader: string): Promise<Total> {
  const count = list ? await countOrders(ports, list, MAX_COUNT + 1) : 0
  return { count: count > MAX_COUNT ? `${MAX_COUNT}+` : `${count}`, reader }
}
