import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import type { PageRequest } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { deviceFilters } from '../device/device-filters.js'
import { findDevicesOf } from '../device/find-devices.js'
import { type LineWithDevices, withDevices } from '../device/line-devices.js'
import { orderLines } from '../store/tables.js'
import { findOrderId, orderOfLine } from '../store/visibility.js'
import { candidatesOf, type LinePosition } from './line-candidates.js'
import { type LineSearch, lineFilters } from './order-line-filters.js'
import { selectOrdersOfLines } from './orders-of-lines.js'

/** Milliseconds for which a request looks for further lines that match its filters. */
const MAX_SCAN_MS = 1000

/** Orders, or lines, that are looked at once after the first ones had too few lines that match. */
const MIN_FURTHER = 500

/** A listed line, with its devices and the patient of its order. */
export type FoundLine = LineWithDevices & { patient: string }

export const positionOf = ({ orderId, id, agreedFrom }: FoundLine): LinePosition => ({
  order: orderId,
  line: id,
  time: agreedFrom?.toISOString()
})

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
  const { relatedTo } = search
  if (relatedTo !== undefined && !(await seesLine(ports, call, relatedTo)))
    return { rows: [], next: undefined }
  const candidates = await candidatesOf(ports, call, search)
  const end = performance.now() + MAX_SCAN_MS
  const rows: FoundLine[] = []
  let maximum = limit + 1
  for (let position = after; ; ) {
    const { orders, lineIds, next } = await candidates(position, maximum)
    const patients = new Map(orders.map(({ id, patient }) => [id, patient]))
    const orderIds = [...patients.keys()]
    const delivered = deviceFilters.where(search) ? await findDevicesOf(ports, orderIds, search) : undefined
    const missing = limit + 1 - rows.length
    const lines = await selectLines(ports, search, { orderIds, lineIds, delivered }, position, missing)
    for (const line of await withDevices(ports, call, lines))
      rows.push({ ...line, patient: patients.get(line.orderId) ?? '' })
    position = next
    if (!position || rows.length > limit || performance.now() > end) return { rows, next: position }
    maximum = Math.max(maximum, MIN_FURTHER)
  }
}

/** Whether the caller sees the order of a line, which becomes a subject of the audit record. */
async function seesLine(ports: Ports, call: Call, id: string): Promise<boolean> {
  const order = await findOrderId(ports.db, orderOfLine(id))
  const [seen] = order === undefined ? [] : await selectOrdersOfLines(ports, call, { order }, undefined, 1)
  if (seen) call.auditContext.addSubject(seen.patient, seen.id)
  return seen !== undefined
}

/** Ids of orders and of some of their lines. */
interface Ids {
  orderIds: readonly string[]
  /** Those that a list by time found. Default: all. */
  lineIds: readonly string[] | undefined
  /** Those whose devices match. Default: all. */
  delivered: readonly string[] | undefined
}

const selectLines = (
  { db }: Ports,
  search: LineSearch,
  { orderIds, lineIds, delivered }: Ids,
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
        delivered && inIds(orderLines.id, delivered),
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
