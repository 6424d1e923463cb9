import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { ItemRow } from '../../catalogue/tables.js'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import { statement } from '../../db/sql/statement.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import type { LineRow } from '../store/tables.js'
import { bySide, type Side, sideOf } from '../store/visibility.js'
import { type DeviceRow, devices } from './tables.js'

/** A device as it is stored, with its model, for one reader. */
export interface StoredDevice extends DeviceRow {
  /** Changes with each change of the row. */
  version: string
  /** Its model, as the catalogue has it now. */
  model: Pick<ItemRow, 'id' | 'name' | 'manufacturer' | 'model'>
  /** Whether the reader sees the order that delivered it. */
  isShown: boolean
}

/** An order line with the device that it delivered, and the one that it is about. */
export type LineWithDevices = LineRow & {
  device: DeviceRow | StoredDevice | null
  relatedDevice: StoredDevice | null
}

/** What a new line has of devices: the lines of a draft deliver none. */
export const noDevices = { device: null, relatedDevice: null, modelId: null }

/** SQL: the party on a side of the order that delivered a device `d`. */
const partyOfDevice = (side: Side): SQL => sql.raw(side === 'buyer' ? 'd.buyer_id' : 'd.seller_id')

/** The devices by the ids of the lines that delivered them. */
export type DevicesByLine = ReadonlyMap<string, StoredDevice>

const deviceFromJson = rowFromJson(devices)

/** A device as the statement returns it. */
type DeviceJson = Omit<StoredDevice, keyof DeviceRow> & { device: ColumnValues }

const selected = bySide((side) =>
  statement<{ organization: string; ids: string }, DeviceJson>(sql`
    select ${jsonRowExpression(devices, 'd')} as device, d.xmin::text as version,
      json_build_object(
        'id', item.id, 'name', item.name, 'manufacturer', item.manufacturer, 'model', item.model) as model,
      party.organization = ${sql.placeholder('organization')} as "isShown"
    from devices d
    join catalogue_items item on item.id = d.item_id
    join parties party on party.id = ${partyOfDevice(side)}
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
 * Adds devices to these lines, with a statement of its own: in a distributed database lines are on
 * its nodes, devices on its coordinator. Without a device to read there is no statement.
 * @param delivered whether to read the device that a line delivered. Default: of all lines.
 */
export async function withDevices<L extends LineRow>(
  ports: Pick<Ports, 'db'>,
  call: Call,
  lines: readonly L[],
  delivered: (line: L) => boolean = () => true
): Promise<(L & LineWithDevices)[]> {
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

/** Adds the orders that delivered devices of lines to the audit record, where they are shown. */
export function addRelatedSubjects(
  { auditContext }: Call,
  patient: string | null,
  lines: readonly Pick<LineWithDevices, 'relatedDevice'>[]
): void {
  for (const { relatedDevice } of lines)
    if (relatedDevice?.isShown) auditContext.addSubject(patient, relatedDevice.orderId)
}
