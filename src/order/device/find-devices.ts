import { and, eq, sql } from 'drizzle-orm'
import { organizationPartyIds } from '../../agreement/visibility.js'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { sideOf } from '../store/visibility.js'
import { type DeviceSearch, deviceFilters } from './device-filters.js'
import { devices } from './tables.js'

/** A line that delivered a device, and its order. */
export interface DeviceLine {
  order: string
  line: string
}

/** Finds the next lines that delivered a device of the caller's parties, order by order. */
export async function findDevices(
  { db }: Ports,
  call: Call,
  search: DeviceSearch,
  after: DeviceLine | undefined,
  maximum: number
): Promise<readonly DeviceLine[]> {
  const party = sideOf(call) === 'buyer' ? devices.buyerId : devices.sellerId
  const parties = organizationPartyIds(db, call.caller.organization ?? '')
  const columns = sql`${devices.orderId}, ${devices.lineId}`
  const condition = and(
    eq(party, sql`party.id`),
    deviceFilters.where(search),
    after && sql`(${columns}) > (${after.order}::uuid, ${after.line}::uuid)`
  )
  // By `inUse` only, devices are read in the order of the list until there are enough. Else
  // `offset 0` keeps PostgreSQL from that order: few of the devices match.
  const isInOrder = deviceFilters.where({ ...search, inUse: undefined }) === undefined
  const end = isInOrder ? sql`order by ${columns} limit ${maximum}` : sql`offset 0`
  return db.execute<DeviceLine & Record<string, unknown>>(sql`
    select order_id as order, line_id as line
    from ${parties} party
    cross join lateral (select ${columns} from ${devices} where ${condition} ${end}) found
    order by order_id, line_id limit ${maximum}`)
}

/** Finds the lines of these orders, which the caller sees, that delivered a device. */
export async function findDevicesOf(
  { db }: Ports,
  orders: readonly string[],
  search: DeviceSearch
): Promise<string[]> {
  const rows = await db
    .select({ line: devices.lineId })
    .from(devices)
    .where(and(inIds(devices.orderId, orders), deviceFilters.where(search)))
  return rows.map(({ line }) => line)
}
