import { Type } from '@sinclair/typebox'
import { type SQL, sql } from 'drizzle-orm'
import { annotations } from '../../catalogue/tables.js'
import { devices } from '../../device/tables.js'
import type { FilterPorts } from '../../filters/filter.js'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { asBuyer } from '../routes/order.access.js'

export const calibrationDueTo = Type.Optional(
  Type.String({
    format: 'date',
    description:
      'Lines whose device is in use and is due for calibration on this day, yyyy-mm-dd, or earlier: the period of the buyer’s annotation `device-calibration-period` after its delivery, or after its last FULFILLED line CALIBRATION. Only for MonitoringResponsible with the permission `Annotation.read`.'
  })
)

/** The access rule of the parameter, because the list reveals the annotations of buyers. */
export const calibrationAccess: AccessRule = { permission: 'Annotation.read', ...asBuyer }

/** The day until which a calibration is due, and the inputs for its due day. */
export interface CalibrationDue {
  day: string
  /** Name of the annotations that have the period. */
  annotation: string
  timeZone: string
}

export function parseCalibrationDue(
  { terminology, timeZone }: FilterPorts,
  day: string | undefined
): CalibrationDue | undefined {
  if (day === undefined) return undefined
  const [annotation = ''] = terminology
    .annotationNames()
    .filter((name) => name.endsWith('/device-calibration-period'))
  return { day, annotation, timeZone }
}

/**
 * SQL condition: a device is in use and due for calibration. The periods are codes such as 30D and
 * 1Y; other codes of a replaced value set are due on no day.
 */
export function isCalibrationDue({ day, annotation, timeZone }: CalibrationDue): SQL {
  const period = sql`case when a.code ~ '^[0-9]{1,4}[DWMY]$' then ('P' || a.code)::interval end`
  const dueDay = (since: SQL) => sql`(${since} at time zone ${timeZone})::date + ${period}`
  return sql`(${devices.until} is null) = true and exists (
    select from ${annotations} a
    where a.item_id = ${devices.itemId} and a.buyer_id = ${devices.buyerId} and a.name = ${annotation}
      and ${dueDay(sql`${devices.from}`)} <= ${day}::date
      and not exists (
        select from order_lines calibration
        where calibration.related_to = ${devices.lineId} and calibration.action = 'CALIBRATION'
          and calibration.status = 'FULFILLED'
          and ${dueDay(sql`coalesce(calibration.performed_at, calibration.closed_at)`)} > ${day}::date))`
}
