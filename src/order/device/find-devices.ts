import { and, eq, type SQL, sql } from 'drizzle-orm'
import { organizationPartyIds } from '../../agreement/visibility.js'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { sideOf } from '../store/visibility.js'
import { type DeviceSearch, deviceFilters } from './device-filters.js'
import { devices } from './tables.js'

/** A line that delivered a device: where a page of a list of order lines may end. */
export interface DeviceLine {
  order: string
  line: string
}

/**
 * How PostgreSQL finds the devices of a party.
 * - number: by the serial number or the UDI, if few devices of anybody have it.
 * - item: by the party, and the item and the lot number as far as they are given
 *   (`devices_buyer_item_idx`, `devices_seller_item_idx`).
 * - inUse: by the party, in the order of the list (`devices_buyer_in_use_idx`,
 *   `devices_seller_in_use_idx`).
 */
type Path = 'number' | 'item' | 'inUse'

/** Devices with a serial number or a UDI up to which they are looked up, whoever has them. */
const MAX_DEVICES_OF_NUMBER = 200

/** Whether a list begins with the devices of the caller's parties. */
export const isFoundByDevice = ({ inUse, deviceItem, serialNumber, lotNumber, udi }: DeviceSearch): boolean =>
  inUse === true || [deviceItem, serialNumber, lotNumber, udi].some((value) => value !== undefined)

/** Finds the next lines that delivered a device of the caller's parties, order by order. */
export async function findDevices(
  ports: Ports,
  call: Call,
  search: DeviceSearch,
  after: DeviceLine | undefined,
  maximum: number
): Promise<readonly DeviceLine[]> {
  const path = await pathOf(ports, search)
  const condition = and(deviceFilters.where(search), isAfter(after))
  return ports.db.execute<DeviceLine & Record<string, unknown>>(sql`
    select order_id as order, line_id as line ${source(ports, call, path, search, condition, maximum)}
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

async function pathOf({ db }: Ports, search: DeviceSearch): Promise<Path> {
  const { serialNumber, udi, deviceItem, lotNumber } = search
  const ofNumber = deviceFilters.where({ serialNumber, udi })
  if (ofNumber) {
    const [found] = await db.execute<{ count: number }>(sql`
      select count(*)::int as count
      from (select from ${devices} where ${ofNumber} limit ${MAX_DEVICES_OF_NUMBER + 1}) found`)
    return found && found.count <= MAX_DEVICES_OF_NUMBER ? 'number' : 'item'
  }
  return deviceItem || lotNumber !== undefined ? 'item' : 'inUse'
}

/** The from clause of a path. `offset 0` keeps PostgreSQL from the indexes of the other paths. */
function source(
  { db }: Ports,
  call: Call,
  path: Path,
  { deviceItem }: DeviceSearch,
  condition: SQL | undefined,
  maximum: number
): SQL {
  const party = sideOf(call) === 'buyer' ? devices.buyerId : devices.sellerId
  const parties = organizationPartyIds(db, call.caller.organization ?? '')
  const columns = sql`${devices.orderId}, ${devices.lineId}`
  if (path === 'number')
    return sql`from (select ${columns}, ${party} as party from ${devices} where ${condition} offset 0) found
      where party in ${parties}`
  const ofParty = and(eq(party, sql`party.id`), condition)
  if (path === 'inUse')
    return sql`from ${parties} party cross join lateral (
      select ${columns} from ${devices} where ${ofParty} order by ${columns} limit ${maximum}) found`
  const items = deviceItem && sql`cross join unnest(${sql.param(deviceItem)}::uuid[]) item (id)`
  return sql`from ${parties} party ${items} cross join lateral (
    select ${columns} from ${devices}
    where ${and(ofParty, items && eq(devices.itemId, sql`item.id`))} offset 0) found`
}

const isAfter = (position: DeviceLine | undefined): SQL | undefined =>
  position && sql`(${devices.orderId}, ${devices.lineId}) > (${position.order}::uuid, ${position.line}::uuid)`
