import { memberTypes } from '../db/sql/row-arrays.js'
import { numberNames } from './device.fields.js'
import type { DevicesOfLine, StoredDevice } from './load-devices.js'
import { type DeviceRow, devices } from './tables.js'

/** The members of a device that a change may write. */
export const changeableDeviceMembers = [...numberNames, 'until', 'endReason', 'endedBy']

/** The SQL types of changed devices. */
export const changedDeviceTypes = {
  ...memberTypes(devices, ['lineId', ...changeableDeviceMembers]),
  version: 'text'
} as const

/** Rows of devices that a change writes. */
export interface DeviceWrites {
  newDevices: readonly DeviceRow[]
  /** With the version that the change was based on. */
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
