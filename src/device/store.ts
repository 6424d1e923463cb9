import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { bySide, sideOf } from '../agreement/side.js'
import { type ItemSnapshot, itemSnapshot } from '../catalogue/item-snapshot.js'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../db/sql/json-row.js'
import { memberSqlTypes } from '../db/sql/row-arrays.js'
import { statement } from '../db/sql/statement.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'
import { numberNames } from './device.fields.js'
import { type DeviceRow, devices } from './tables.js'

/** A stored device with its model, for one reader. */
export interface StoredDevice extends DeviceRow {
  /** Changes with each change of the row. */
  version: string
  /** The present model in the catalogue. */
  modelNow: ItemSnapshot
  /** Whether the undo of an import withdrew the model. */
  isModelWithdrawn: boolean
  /** Whether the reader sees the order that delivered it. */
  isShown: boolean
  /**
   * Whether another patient has a device of its model and serial number in use, in an order that
   * the reader sees.
   */
  alsoInUse: boolean
}

/** The device that an order line delivered, and the device that it is about. */
export interface DevicesOfLine {
  device: DeviceRow | StoredDevice | null
  relatedDevice: StoredDevice | null
}

/** The devices by the ids of the lines that delivered them. */
export type DevicesByLine = ReadonlyMap<string, StoredDevice>

const deviceFromJson = rowFromJson(devices)

/** A device in the result of the statement. */
type DeviceJson = Omit<StoredDevice, keyof DeviceRow> & { device: ColumnValues }

const selected = bySide((side) =>
  statement<{ organization: string; ids: string }, DeviceJson>(sql`
    select ${jsonRowExpression(devices, 'd')} as device, d.xmin::text as version,
      ${itemSnapshot('item')} as "modelNow", item.withdrawn_at is not null as "isModelWithdrawn",
      d.${sql.raw(`${side}_organization`)} = ${sql.placeholder('organization')} as "isShown",
      d.used_until is null and exists (
        select from devices other
        join order_lines own on own.order_id = d.order_id and own.id = d.line_id
        join order_lines theirs on theirs.order_id = other.order_id and theirs.id = other.line_id
        where number_key(other.serial_number) = number_key(d.serial_number) and other.used_until is null
          and other.model->'manufacturer' = d.model->'manufacturer' and other.model->'model' = d.model->'model'
          and other.${sql.raw(`${side}_organization`)} = ${sql.placeholder('organization')}
          and theirs.patient <> own.patient) as "alsoInUse"
    from devices d join catalogue_items item on item.id = d.item_id
    where d.line_id = any(${sql.placeholder('ids')}::uuid[])`)
)

/** Loads the devices that lines delivered, for the reader. */
export async function loadDevices(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  lineIds: readonly string[]
): Promise<DevicesByLine> {
  if (lineIds.length === 0) return new Map()
  const values = { organization: call.caller.organization ?? '', ids: makePgArray([...new Set(lineIds)]) }
  const found = await selected[sideOf(call)](db, values)
  const rows = found.map(({ device, ...more }) => ({ ...deviceFromJson(device), ...more }))
  return new Map(rows.map((row) => [row.lineId, row]))
}

/**
 * Adds devices to these lines, with one statement for all lines, or none if there is no device to
 * read.
 * @param delivered whether to read the device that a line delivered. Default: for all lines.
 */
export async function withDevices<L extends { id: string; status: string; relatedTo: string | null }>(
  ports: Pick<Ports, 'db'>,
  call: Call,
  lines: readonly L[],
  delivered: (line: L) => boolean = () => true
): Promise<(L & DevicesOfLine)[]> {
  const ids = lines.flatMap((line) => [
    ...(line.status === 'FULFILLED' && delivered(line) ? [line.id] : []),
    ...(line.relatedTo === null ? [] : [line.relatedTo])
  ])
  const byLine = await loadDevices(ports, call, ids)
  const deviceOf = (line: string | null) => (line === null ? undefined : byLine.get(line)) ?? null
  return lines.map((line) =>
    Object.assign(line, { device: deviceOf(line.id), relatedDevice: deviceOf(line.relatedTo) })
  )
}

/** Adds the orders that delivered the devices which lines are about to the audit record. */
export function addRelatedSubjects(
  { auditContext }: Call,
  patient: string | null,
  lines: readonly { relatedDevice: Pick<DeviceRow, 'orderId'> | null }[]
): void {
  for (const { relatedDevice } of lines)
    if (relatedDevice) auditContext.addSubject(patient, relatedDevice.orderId)
}

export const changeableDeviceMembers = [...numberNames, 'gtin', 'until', 'endReason', 'endedBy']

export const changedDeviceTypes = {
  ...memberSqlTypes(devices, ['lineId', ...changeableDeviceMembers]),
  version: 'text'
} as const

export interface DeviceWrites {
  newDevices: readonly DeviceRow[]
  /** With the version on which the change was based. */
  changedDevices: readonly StoredDevice[]
}

/** Finds the devices that differ between the lines before and after a change. */
export function deviceWrites(
  before: readonly DevicesOfLine[],
  after: readonly DevicesOfLine[]
): DeviceWrites {
  const known = new Map(before.flatMap((line) => devicesOf(line)).map((each) => [each.lineId, each]))
  const written = new Map(after.flatMap((line) => devicesOf(line)).map((each) => [each.lineId, each]))
  const changed = [...written.values()].filter((each) => known.get(each.lineId) !== each)
  const isStored = (device: DeviceRow): device is StoredDevice => known.has(device.lineId)
  return {
    newDevices: changed.filter((device) => !isStored(device)),
    changedDevices: changed.filter(isStored)
  }
}

const devicesOf = ({ device, relatedDevice }: DevicesOfLine): DeviceRow[] =>
  [device, relatedDevice].filter((each) => each !== null)
