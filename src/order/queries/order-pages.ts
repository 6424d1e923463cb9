import { and, type SQL, sql } from 'drizzle-orm'
import { openJsonText } from '../../db/json/serializer.js'
import { type ActiveFilters, dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement, storedBytes } from '../../db/sql/page.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { isClosed, type OrderStatus, orderStatuses, submittedStatuses } from '../model/order.state.js'
import {
  type AttentionValues,
  attentionJson,
  attentionOfList,
  attentionValues,
  hasAttention
} from '../store/attention.js'
import { orderSerializers } from '../store/serializers.js'
import {
  fromOrdersOf,
  fromOrdersSeenBy,
  readsByParty,
  type Side,
  visibleToSide
} from '../store/visibility.js'
import {
  copyOf,
  firstPageCache,
  listedVersion,
  type OrderListRow,
  versionOfList,
  versionOfRows
} from './first-page-cache.js'
import { type OrderSearch, orderFilters } from './order-filters.js'
import { isAfter, type OrderPosition, type OrderSort, orderBy, sortValue } from './order-sort.js'

/**
 * How PostgreSQL finds the orders of a party.
 * - created: newest first (`orders_buyer_idx`).
 * - status: in each status, newest first (`orders_buyer_status_idx`, `orders_seller_idx`; those
 *   between a buyer and a seller: `orders_parties_idx`).
 * - changed: latest change first (`orders_buyer_changed_idx`, `orders_seller_changed_idx`).
 * - any: as the planner chooses, among the orders of all parties.
 */
type Path = 'created' | 'status' | 'changed' | 'any'

/** The filters that are set, with each status as a parameter of its own for the path `status`. */
type Parameters = Omit<OrderSearch, 'status'> & {
  status?: OrderStatus[] | undefined
  after?: string | undefined
  position?: string | undefined
} & { [K in StatusName]?: OrderStatus | undefined }

type StatusName = `status${number}`
type Active = ActiveFilters<Parameters>
type Limits = PageLimits & AttentionValues & { organization: string }

/** A listed order as PostgreSQL returns it, with its version if the page is cacheable. */
type SelectedRow = [
  id: Buffer,
  patient: Buffer,
  value: Buffer | null,
  version: Buffer | null,
  json: Buffer | null
]

const organization = sql.placeholder('organization')
const rows = sql.placeholder('rows')

/** The from clause of a list, and the condition that it leaves to the statement. */
function source(
  ports: Ports,
  side: Side,
  path: Path,
  sort: OrderSort | undefined,
  active: Active
): { from: SQL; where?: SQL | undefined } {
  const conditions = and(
    orderFilters.where(active),
    active.attention && hasAttention(ports, attentionOfList(side), sql`${active.attention}::text[]`),
    active.after && isAfter(sort ?? '-created', active.after, active.position)
  )
  if (path === 'any')
    return { from: fromOrdersSeenBy(side), where: and(visibleToSide(side, organization), conditions) }
  const isInOrder = sort === (path === 'changed' ? '-updated' : '-created')
  // Sorted where they are found, orders are read only until the page is full. Else `offset 0` keeps
  // PostgreSQL from reading them in the order of the page by another index.
  const end = isInOrder ? sql`order by ${orderBy(sort)} limit ${rows}` : sql`offset 0`
  const from = fromOrdersOf(side, organization, (visible) => {
    const select = (status?: SQL) =>
      sql`select orders.*, orders.xmin from orders where ${and(visible, status, conditions)} ${end}`
    if (path !== 'status') return select()
    const names = Object.keys(active).filter((name): name is StatusName => /^status\d$/.test(name))
    const branches = names.map((name) => sql`(${select(sql`orders.status = ${active[name]}`)})`)
    const all = sql.join(branches, sql` union all `)
    return isInOrder && branches.length > 1 ? sql`${all} order by id desc limit ${rows}` : all
  })
  return { from }
}

/** A list of orders as one side sees it. */
export interface OrderList {
  side: Side
  organization: string
  search: OrderSearch
  sort: OrderSort
}

function pathOf(ports: Ports, { side, search, sort }: OrderList): Path {
  const { patient, seller, updatedSince, submittedFrom, status, attention, dueTo } = search
  if (patient || !readsByParty(ports)) return 'any'
  if (attention || dueTo !== undefined) return 'status'
  if (updatedSince !== undefined || submittedFrom !== undefined) return 'changed'
  // Orders that are not closed are few: sorting them is quicker than passing over the closed ones.
  const isOpenOnly = status?.every((code) => !isClosed(code)) ?? false
  if (sort === '-updated' && !isOpenOnly) return 'changed'
  return side === 'buyer' && !status && seller === undefined ? 'created' : 'status'
}

/**
 * The parameters of a search: on the path `status` its statuses, by default all that the side sees.
 */
function parametersOf(search: OrderSearch, side: Side, path: Path): Parameters {
  if (path !== 'status') return { ...search } as Parameters
  const { status: statuses = side === 'buyer' ? orderStatuses : submittedStatuses, ...others } = search
  return Object.assign(others, ...statuses.map((code, at) => ({ [`status${at}`]: code })))
}

const queries = memoizePerApp((ports: Ports) => {
  const { order } = orderSerializers(ports)
  const poll = (side: Side, path: Path, sort: OrderSort) =>
    dynamicQuery<Parameters, Omit<Limits, 'bytes'>, [Buffer | null]>((active) => {
      const { from, where = sql`true` } = source(ports, side, path, sort, active)
      return versionOfList(
        sql`select ${listedVersion(ports, side)} as version ${from} where ${where} order by ${orderBy(sort)} limit ${rows}`
      )
    })
  const page = (side: Side, path: Path, sort: OrderSort) =>
    dynamicQuery<Parameters, Limits, SelectedRow>((active) =>
      pageStatement({
        table: 'orders',
        columns: sql`orders.id, orders.patient, ${sortValue(sort)}, orders.listed_version`,
        json: sql`${openJsonText(order, 'orders')} || ',"attention":' || orders.attention || '}'`,
        size: storedBytes('orders'),
        joinedColumns: sql`${attentionJson(ports, attentionOfList(side))} as attention, ${
          isCacheable(ports, path, active.after) ? listedVersion(ports, side) : sql`null`
        } as listed_version`,
        orderBy: orderBy(sort),
        where: undefined,
        ...source(ports, side, path, sort, active)
      })
    )
  const count = (side: Side, path: Path) =>
    dynamicQuery<Parameters, Omit<Limits, 'bytes'>, [Buffer]>((active) => {
      const { from, where = sql`true` } = source(ports, side, path, undefined, active)
      return sql`select count(*) from (select orders.id ${from} where ${where} limit ${rows}) counted`
    })
  return { poll: memoize(poll), page: memoize(page), count: memoize(count) }
})

/** Calls a function once for each combination of arguments. */
function memoize<A extends string[], R>(make: (...names: A) => R): (...names: A) => R {
  const made = new Map<string, R>()
  return (...names) => {
    const key = names.join(' ')
    const result = made.get(key) ?? make(...names)
    made.set(key, result)
    return result
  }
}

/**
 * Whether a page is cached: the first one, unless the database is of Citus, which does not tell the
 * version of a row. A poll for changes is another list each time.
 */
const isCacheable = ({ isDistributed }: Ports, path: Path, after: unknown) =>
  after === undefined && path !== 'changed' && !isDistributed

/** Selects a page of a list, after a position in it. */
export async function selectOrderPage(
  ports: Ports,
  list: OrderList,
  after: OrderPosition | undefined,
  limits: PageLimits
): Promise<readonly OrderListRow[]> {
  const { side, organization, search, sort } = list
  const path = pathOf(ports, list)
  const parameters = { ...parametersOf(search, side, path), after: after?.id, position: after?.value }
  const values = { organization, ...attentionValues(ports), ...limits }
  const { poll, page } = queries(ports)
  const cache = firstPageCache(ports)
  const key = JSON.stringify([list, limits, values.today])
  const cached = isCacheable(ports, path, after) ? cache.get(key) : undefined
  if (cached) {
    const [row] = await poll(side, path, sort)(ports.db, parameters, values)
    if (row?.[0]?.toString() === cached.version) return cached.rows
  }
  const selected = await page(side, path, sort)(ports.db, parameters, values)
  const rows = selected.map(([id, patient, value, , json]): OrderListRow => [id, patient, value, json])
  const versions = selected.flatMap(([, , , version]) => version ?? [])
  if (versions.length > 0) cache.set(key, { version: versionOfRows(versions), rows: copyOf(rows) })
  return rows
}

/** Counts the orders of a list, up to a maximum. */
export async function countOrders(ports: Ports, list: OrderList, maximum: number): Promise<number> {
  const { side, organization, search } = list
  const path = pathOf(ports, list)
  const query = queries(ports).count(side, path)
  const values = { organization, ...attentionValues(ports), rows: maximum }
  const [row] = await query(ports.db, parametersOf(search, side, path), values)
  return Number(row?.[0])
}
