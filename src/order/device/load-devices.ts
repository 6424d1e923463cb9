import { inIds } from '../../db/sql/conditions.js'
import type { Ports } from '../../ports.js'
import { type DeviceRow, devices } from './tables.js'

/** The devices that these lines delivered, by the ids of the lines. */
export async function loadDevices(
  { db }: Pick<Ports, 'db'>,
  lines: readonly { id: string }[]
): Promise<Map<string, DeviceRow>> {
  const ids = lines.map(({ id }) => id)
  const rows = ids.length > 0 ? await db.select().from(devices).where(inIds(devices.lineId, ids)) : []
  return new Map(rows.map((row) => [row.lineId, row]))
}
