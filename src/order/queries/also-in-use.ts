import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm'
import { ofOrganization, sideOf } from '../../agreement/side.js'
import { isOneOf } from '../../db/sql/conditions.js'
import { type DeviceRow, devices } from '../../device/tables.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { orderLines } from '../store/tables.js'

/**
 * Finds those of the devices whose model and serial number another patient has in use, too, in an
 * order of the caller's organization: one of the two numbers is probably wrong. Devices of other
 * organizations do not count, since the caller may not learn of them.
 * @param patient the patient of the devices.
 */
export async function findAlsoInUse(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  patient: string,
  delivered: readonly DeviceRow[]
): Promise<ReadonlySet<DeviceRow>> {
  const numbered = delivered.filter(({ serialNumber, until }) => serialNumber !== null && until === null)
  if (numbered.length === 0) return new Set()
  const rows = await db
    .select({ serialNumber: devices.serialNumber, model: devices.model })
    .from(devices)
    .innerJoin(orderLines, and(eq(orderLines.orderId, devices.orderId), eq(orderLines.id, devices.lineId)))
    .where(
      and(
        isOneOf(
          devices.serialNumber,
          numbered.map(({ serialNumber }) => serialNumber ?? '')
        ),
        isNotNull(devices.serialNumber),
        ofOrganization(devices, sideOf(call), call.caller.organization ?? ''),
        isNull(devices.until),
        ne(orderLines.patient, patient)
      )
    )
  const others = new Set(rows.map(keyOf))
  return new Set(numbered.filter((device) => others.has(keyOf(device))))
}

/** Catalogues of different sellers may have the same model. */
const keyOf = ({ serialNumber, model }: Pick<DeviceRow, 'serialNumber' | 'model'>) =>
  JSON.stringify([serialNumber, model.manufacturer, model.model])
