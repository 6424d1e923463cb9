import { and, eq, gte, type SQL, sql } from 'drizzle-orm'
import { type ActiveFilters, dynamicQuery } from '../../db/sql/dynamic-query.js'
import { statement } from '../../db/sql/statement.js'
import type { Call } from '../../platform/auth/call.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { submittedStatuses } from '../model/order.state.js'
import { orderLines, orders } from '../store/tables.js'
import {
  fromOrdersOf,
  fromOrdersSeenBy,
  readsByParty,
  type Side,
  sideOf,
  visibleToSide
} from '../store/visibility.js'

/** What finds the orders whose lines are listed. If nothing does, those of the caller's parties. */
export interface LineOrderSearch {
  order?: string | undefined
  patient?: string | undefined
  /** An item that a line of the order has. */
  item?: string | undefined
  /** A line whose device a line of the order is about. */
  relatedTo?: string | undefined
  /** Ids of orders. */
  ids?: string[] | undefined
  /** Orders with an agreed time that ends later. */
  agreedAfter?: string | undefined
}

/** Lines of an item up to which their orders are looked up, whoever made them. */
const MAX_LINES_OF_ITEM = 200

/**
 * Chooses what finds the orders of a search with an item: the item, if it has few lines. Else an
 * order or patient, or the caller's parties: many others may have ordered the item.
 */
export async function withFewOrders(ports: Ports, search: LineOrderSearch): Promise<LineOrderSearch> {
  const { item, ...others } = search
  if (!item) return search
  if (others.order || others.patient || others.relatedTo) return others
  if (!readsByParty(ports)) return search
  const [found] = await linesOfItem(ports.db, { item, rows: MAX_LINES_OF_ITEM + 1 })
  return found && found.count <= MAX_LINES_OF_ITEM ? search : others
}

const linesOfItem = statement<{ item: string; rows: number }, { count: number }>(sql`
  select count(*)::int as count
  from (select from order_lines where item_id = ${sql.placeholder('item')} limit ${sql.placeholder('rows')}) found`)

/** An order whose lines are listed. */
export interface OrderOfLines {
  id: string
  patient: string
}

type Filters = LineOrderSearch & { from?: string | undefined }
type Active = ActiveFilters<Filters>
type Limits = { organization: string; rows: number }

const organization = sql.placeholder('organization')
const rows = sql.placeholder('rows')

/**
 * Orders are read in an index of what the search names, and only those of the page are sorted: in
 * an index of all lines PostgreSQL would pass over those of everybody else.
 */
function source(side: Side, active: Active, isByParty: boolean) {
  const from = active.from && gte(orders.id, active.from)
  const agreed = active.agreedAfter && sql`${orders.agreedUntil} > ${active.agreedAfter}::timestamptz`
  if (isByParty && !isFound(active))
    return fromOrdersOf(side, organization, (visible) => {
      // In an index by the agreed time: `offset 0` keeps PostgreSQL from the order of another one.
      if (agreed)
        return sql`select orders.id, orders.patient from orders where ${and(visible, from, agreed)} offset 0`
      const select = (status = sql`true`) =>
        sql`(select orders.id, orders.patient from orders
          where ${and(visible, from, status)} order by orders.id limit ${rows})`
      // The index of a seller's orders sorts by their status first.
      return side === 'buyer'
        ? select()
        : sql.join(
            submittedStatuses.map((status) => select(sql`orders.status = ${sql.raw(`'${status}'`)}`)),
            sql` union all `
          )
    })
  const condition = and(
    visibleToSide(side, organization),
    from,
    agreed,
    active.order && eq(orders.id, active.order),
    active.patient && eq(orders.patient, active.patient),
    active.ids && sql`${orders.id} = any(${active.ids}::uuid[])`,
    active.item && hasLine(eq(orderLines.itemId, active.item)),
    active.relatedTo && hasLine(eq(orderLines.relatedTo, active.relatedTo))
  )
  return isByParty
    ? sql`from (select orders.id, orders.patient ${fromOrdersSeenBy(side)} where ${condition} offset 0) orders`
    : sql`${fromOrdersSeenBy(side)} where ${condition}`
}

/** SQL query of the id and the patient of the orders that the organization sees on one side. */
export const ordersOfLines = (ports: Ports, side: Side, active: Active): SQL =>
  sql`select orders.id, orders.patient ${source(side, active, readsByParty(ports))}`

/** Whether the search names something with few orders. */
const isFound = ({ order, patient, item, relatedTo, ids }: Active) =>
  [order, patient, item, relatedTo, ids].some((each) => each !== undefined)

const hasLine = (condition: SQL) =>
  sql`${orders.id} in (select ${orderLines.orderId} from ${orderLines} where ${condition})`

const queries = memoizePerApp((ports: Ports) => {
  const ofSide = (side: Side) =>
    dynamicQuery<Filters, Limits, [id: Buffer, patient: Buffer]>(
      (active) => sql`${ordersOfLines(ports, side, active)} order by orders.id limit ${rows}`
    )
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
})

/**
 * Selects the next orders that the caller may see, in order of creation.
 * @param from the id of the first one, if it still is one of them.
 */
export async function selectOrdersOfLines(
  ports: Ports,
  call: Call,
  search: LineOrderSearch,
  from: string | undefined,
  maximum: number
): Promise<readonly OrderOfLines[]> {
  const limits = { organization: call.caller.organization ?? '', rows: maximum }
  const found = await queries(ports)[sideOf(call)](ports.db, { ...search, from }, limits)
  return found.map(([id, patient]) => ({ id: String(id), patient: String(patient) }))
}
