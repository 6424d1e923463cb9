import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import type { PageRequest } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { deviceFilters } from '../device/device-filters.js'
import { type DeviceLine, findDevices, findDevicesOf, isFoundByDevice } from '../device/find-devices.js'
import { type LineWithDevices, withDevices } from '../device/line-devices.js'
import { orderLines } from '../store/tables.js'
import { findOrderId, orderOfLine } from '../store/visibility.js'
import { findLinesByTime } from './lines-by-time.js'
import { agreedAfter, type LineSearch, lineFilters } from './order-line-filters.js'
import {
  type LineOrderSearch,
  type OrderOfLines,
  selectOrdersOfLines,
  withFewOrders
} from './orders-of-lines.js'

/** Where a page ends: the ids of an order and of a line in it, and the line's agreed time. */
export interface LinePosition extends DeviceLine {
  time?: string | undefined
}

/** Comes after every line of an order. */
const LAST_LINE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Orders whose lines are read at once. */
const ORDERS_AT_ONCE = 500

/** Milliseconds for which a request looks for further lines that match its filters. */
const MAX_SCAN_MS = 1000

/** A listed line, with its devices and the patient of its order. */
export type FoundLine = LineWithDevices & { patient: string }

export const positionOf = ({ orderId, id, agreedFrom }: FoundLine): LinePosition => ({
  order: orderId,
  line: id,
  time: agreedFrom?.toISOString()
})

/** Lines that may match: those of some orders, or some of their lines. */
interface Candidates {
  orders: readonly OrderOfLines[]
  /** Default: all lines of the orders. */
  lineIds?: readonly string[]
  /** The position to go on from, unless these are the last ones. */
  next: LinePosition | undefined
}

/**
 * Finds the lines of a page, and one more if there are more.
 * @returns `next`, unless all orders were looked at: the position to go on from.
 */
export async function findLines(
  ports: Ports,
  call: Call,
  search: LineSearch,
  { limit, after }: PageRequest<LinePosition>
): Promise<{ rows: readonly FoundLine[]; next: LinePosition | undefined }> {
  const { order, patient, item, relatedTo } = search
  if (relatedTo !== undefined && !(await seesLine(ports, call, relatedTo)))
    return { rows: [], next: undefined }
  const isByTime = search.sort !== undefined
  const isByDevice = !isByTime && isFoundByDevice(search) && !order && !patient && !relatedTo
  const named = { order, patient, item, relatedTo, agreedAfter: agreedAfter(search) }
  const ofOrders = isByTime || isByDevice ? {} : await withFewOrders(ports, named)
  const end = performance.now() + MAX_SCAN_MS
  const rows: FoundLine[] = []
  for (let position = after; ; ) {
    const { orders, lineIds, next } = isByTime
      ? await candidatesByTime(ports, call, search, position, limit + 1)
      : isByDevice
        ? await candidatesByDevice(ports, call, search, position, limit + 1)
        : await candidatesByOrder(ports, call, search, ofOrders, position)
    const patients = new Map(orders.map(({ id, patient }) => [id, patient]))
    const missing = limit + 1 - rows.length
    const lines = await selectLines(
      ports,
      search,
      { orderIds: [...patients.keys()], lineIds },
      position,
      missing
    )
    for (const line of await withDevices(ports, call, lines))
      rows.push({ ...line, patient: patients.get(line.orderId) ?? '' })
    position = next
    if (!position || rows.length > limit || performance.now() > end) return { rows, next: position }
  }
}

/** Whether the caller sees the order of a line, which becomes a subject of the audit record. */
async function seesLine(ports: Ports, call: Call, id: string): Promise<boolean> {
  const order = await findOrderId(ports.db, orderOfLine(id))
  const [seen] = order === undefined ? [] : await selectOrdersOfLines(ports, call, { order }, undefined, 1)
  if (seen) call.auditContext.addSubject(seen.patient, seen.id)
  return seen !== undefined
}

async function candidatesByDevice(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: LinePosition | undefined,
  maximum: number
): Promise<Candidates> {
  const found = await findDevices(ports, call, search, after, maximum)
  const ids = [...new Set(found.map(({ order }) => order))]
  const orders = ids.length > 0 ? await selectOrdersOfLines(ports, call, { ids }, undefined, ids.length) : []
  return {
    orders,
    lineIds: found.map(({ line }) => line),
    next: found.length === maximum ? found.at(-1) : undefined
  }
}

async function candidatesByTime(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: LinePosition | undefined,
  maximum: number
): Promise<Candidates> {
  const found = await findLinesByTime(ports, call, search, after, maximum)
  const orders = found.map(({ order }) => order)
  const last = found.length === maximum ? found.at(-1) : undefined
  const ofDevices = deviceFilters.where(search)
    ? new Set(
        await findDevicesOf(
          ports,
          orders.map(({ id }) => id),
          search
        )
      )
    : undefined
  return {
    orders,
    lineIds: found.flatMap(({ line }) => (ofDevices?.has(line) === false ? [] : [line])),
    next: last && { order: last.order.id, line: last.line, time: last.time }
  }
}

async function candidatesByOrder(
  ports: Ports,
  call: Call,
  search: LineSearch,
  ofOrders: LineOrderSearch,
  after: LinePosition | undefined
): Promise<Candidates> {
  const orders = await selectOrdersOfLines(ports, call, ofOrders, after?.order, ORDERS_AT_ONCE)
  const last = orders.length === ORDERS_AT_ONCE ? orders.at(-1) : undefined
  const next = last && { order: last.id, line: LAST_LINE }
  if (!deviceFilters.where(search)) return { orders, next }
  const ids = orders.map(({ id }) => id)
  return { orders, lineIds: await findDevicesOf(ports, ids, search), next }
}

const selectLines = (
  { db }: Ports,
  search: LineSearch,
  { orderIds, lineIds }: { orderIds: readonly string[]; lineIds: readonly string[] | undefined },
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
        lineIds && inIds(orderLines.id, lineIds),
        isNull(orderLines.deletedAt),
        lineFilters.where(search),
        after && search.sort === undefined
          ? sql`(${orderLines.orderId}, ${orderLines.id}) > (${after.order}::uuid, ${after.line}::uuid)`
          : undefined
      )
    )
    .orderBy(asc(search.sort ? orderLines.agreedFrom : orderLines.orderId), asc(orderLines.id))
    .limit(maximum)
}
