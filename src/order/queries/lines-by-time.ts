import { and, isNull, sql } from 'drizzle-orm'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { isoTime } from '../../db/sql/iso-time.js'
import type { Call } from '../../platform/auth/call.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { orderLines } from '../store/tables.js'
import { readsByParty, type Side, sideOf } from '../store/visibility.js'
import { agreedAfter, type LineSearch, lineFilters } from './order-line-filters.js'
import { type OrderOfLines, ordersOfLines } from './orders-of-lines.js'

/** A line with an agreed time, and its order. */
interface TimedLine {
  line: string
  order: OrderOfLines
  /** Start of the agreed time. */
  time: string
}

type Filters = ReturnType<typeof ofLines> & { time?: string | undefined; line?: string | undefined }
type Limits = { organization: string; rows: number }
type Row = [line: Buffer, order: Buffer, patient: Buffer, time: Buffer]

/** The filters of a search but for those by devices: nodes of a distributed database have none. */
function ofLines(search: LineSearch) {
  const { inUse, deviceItem, serialNumber, lotNumber, udi, sort, ...filters } = search
  return { ...filters, agreedAfter: agreedAfter(search) }
}

const queries = memoizePerApp((ports: Ports) => {
  const ofSide = (side: Side) =>
    dynamicQuery<Filters, Limits, Row>((active) => {
      const { item: _, time, line, ...named } = active
      const found = ordersOfLines(ports, side, named)
      const conditions = and(
        sql`${orderLines.orderId} = found.id`,
        isNull(orderLines.deletedAt),
        lineFilters.where(active),
        time && sql`(${orderLines.agreedFrom}, ${orderLines.id}) > (${time}::timestamptz, ${line}::uuid)`
      )
      // `offset 0` makes PostgreSQL read the lines of each order in their index.
      const joined = readsByParty(ports)
        ? sql`cross join lateral (select id, agreed_from from ${orderLines} where ${conditions} offset 0) order_lines`
        : sql`join ${orderLines} on ${conditions}`
      return sql`
        select order_lines.id, found.id, found.patient, ${isoTime(sql`order_lines.agreed_from`)}
        from (${found}) found ${joined}
        order by order_lines.agreed_from, order_lines.id limit ${sql.placeholder('rows')}`
    })
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
})

/** Finds the next lines of a search with a range of agreed times, by the start of their time. */
export async function findLinesByTime(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: { line: string; time?: string | undefined } | undefined,
  maximum: number
): Promise<readonly TimedLine[]> {
  const filters = { ...ofLines(search), ...(after && { line: after.line, time: after.time }) }
  const limits = { organization: call.caller.organization ?? '', rows: maximum }
  const rows = await queries(ports)[sideOf(call)](ports.db, filters, limits)
  return rows.map(([line, order, patient, time]) => ({
    line: String(line),
    order: { id: String(order), patient: String(patient) },
    time: String(time)
  }))
}
