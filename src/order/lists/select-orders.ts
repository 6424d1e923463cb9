import { and, type SQL, sql } from 'drizzle-orm'
import type { Side } from '../../agreement/side.js'
import { isoTime, rowSelection } from '../../db/sql/json-row.js'
import { type PageLimits, pageRows } from '../../db/sql/page.js'
import { statement } from '../../db/sql/statement.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { Ports } from '../../ports.js'
import { waitsForOneOf } from '../attention.js'
import { isClosed, isWithSeller, orderStatuses, submittedStatuses } from '../model/states.js'
import { orders } from '../store/tables.js'
import { visibleToSide } from '../store/visibility.js'
import { type OrderSearch, orderFilters } from './order-filters.js'
import { isAfterPosition, type OrderPosition, type OrderSort, orderBy, sortValue } from './order-sort.js'

export interface OrderList {
  side: Side
  organization: string
  search: OrderSearch
  sort: OrderSort
  now: Date
}

/**
 * SQL query of at least the first orders of a page of a list. There is an index for each side. The
 * comments name the index for buyers. Figures are buffers for each order of a page of 100, the same
 * for a tenth and for all of the orders of a national year.
 * @param page default: all orders, in any order.
 */
function selectOrders(list: OrderList, columns: SQL, page?: { after?: OrderPosition; rows: number }): SQL {
  const { side, organization, sort, now } = list
  const { status: statuses, attention, ...search } = list.search
  const select = (condition?: SQL) => {
    const conditions = and(
      visibleToSide(orders, side, organization),
      condition,
      orderFilters.where(search),
      attention &&
        waitsForOneOf(sql`${sql.param(attention)}::text[]`, sql`${now.toISOString()}::timestamptz`),
      page?.after && isAfterPosition(sort, page.after)
    )
    return sql`select ${columns} from orders where ${conditions}`
  }
  const hasStatus = orderFilters.where({ status: statuses })
  const isOpenOnly = statuses?.every((code) => !isClosed(code)) ?? false

  // The orders of a patient, in orders_patient_idx (patient, id): 3 to 5.
  if (search.patient !== undefined) return select(hasStatus)

  // The orders with an identifier, in orders_identifiers_idx (identifiers): 3 to 5.
  if (search.identifier !== undefined) return sql`${select(hasStatus)} offset 0`

  // The orders that changed since a time, in orders_buyer_changed_idx (buyer_organization,
  // changed_at, id), then sorted: 1.1. `offset 0` because PostgreSQL expects a third of all orders
  // to match, and otherwise reads all orders of an organization in page order: for 7 of 20,000
  // orders 2,435 buffers instead of 9.
  if (search.updatedSince !== undefined || search.submittedFrom !== undefined)
    return sql`${select(hasStatus)} offset 0`

  // Latest change first, in the same index: 1.0. Open orders are few, so that sorting them is
  // quicker.
  if (sort === '-updated' && !isOpenOnly) return select(hasStatus)

  // Open orders by due time, in orders_buyer_due_idx (buyer_organization, coalesce(due_at,
  // 'infinity'), id): 1.0.
  if (sort === 'due' && statuses?.every(isWithSeller))
    return select(and(hasStatus, sql`orders.status in ('SUBMITTED', 'ACCEPTED')`))

  // The newest orders of each status, in orders_buyer_status_idx (buyer_organization, status, id,
  // buyer_id), merged: 1.0 buffers for each order of a page of 100, 2 with a filter by attention.
  // With one seller: 1.5 buffers, in orders_seller_partner_idx (seller_id, buyer_organization,
  // status, id). Another sort reads all orders in these statuses: 3.6 buffers for each order of the
  // page if they are open, 20 for all orders of a year.
  const end = page && sort === '-created' ? sql`order by ${orderBy(sort)} limit ${page.rows}` : sql``
  const visible = side === 'buyer' ? orderStatuses : submittedStatuses
  const branches = (statuses ?? visible).map((code) => sql`(${select(sql`orders.status = ${code}`)} ${end})`)
  return sql.join(branches, sql` union all `)
}

const { searchText, revision, traceCount, answeredAt, deletedAt, wasReturned, wasLate, ...shown } =
  writtenColumns(orders)

/** The values of each order of a page in addition to its columns. */
interface PageColumns {
  sortValue: string | null
  /** The number of orders up to the maximum, also of those beyond the maximum bytes. */
  found: number
}

const selectRows = rowSelection<typeof shown, PageColumns>(shown, ['sortValue', 'found'])

export type ListedOrder = Awaited<ReturnType<typeof selectRows>>[number]

export function selectOrderPage(
  { db }: Pick<Ports, 'db'>,
  list: OrderList,
  after: OrderPosition | undefined,
  limits: PageLimits
): Promise<ListedOrder[]> {
  const { sort } = list
  const page = { rows: limits.rows, ...(after && { after }) }
  const from = sql`from (${selectOrders(list, sql`orders.*`, page)}) orders`
  return selectRows(
    db,
    (columns) => sql`
      select ${columns}, ${sortValue(sort)}, found
      from ${pageRows({ table: 'orders', from, where: undefined, orderBy: orderBy(sort) }, limits)}
      order by ${orderBy(sort)}`
  )
}

/** Counts the orders of a list up to a maximum. Without further filters an index is sufficient. */
export async function countOrders(
  { db }: Pick<Ports, 'db'>,
  list: OrderList,
  maximum: number
): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (${selectOrders(list, sql`orders.id`)} limit ${maximum}) counted`)
  return row?.count ?? 0
}

/** PostgreSQL shows a role its own transactions, and all instances have one role. */
const bound = statement<{ maxMs: number }, { until: string }>(sql`
  select ${isoTime(sql`date_trunc('milliseconds', least(
    now() - ${sql.placeholder('maxMs')}::float8 * interval '1 ms',
    (select min(xact_start) from pg_stat_activity where datname = current_database() and backend_xid is not null)))`)}
    as until`)

/**
 * Finds a time before which no change of an order can still appear. A change gets its time within
 * its transaction, by the clock of the database, and appears at the commit. The transaction either
 * takes at most twice the time limit of a request, or this query sees it running. Call it before
 * the orders are read.
 */
export async function findUpdatedUntil(ports: Ports): Promise<string | undefined> {
  const [row] = await bound(ports.db, { maxMs: 2 * ports.limits.requestTimeout })
  return row?.until
}
