import { deviceNumberKey, normalizeNumber } from '../platform/text/numbers.js'
import { numberNames } from './device.fields.js'
import type { DeviceInput } from './device.schemas.js'
import type { DeviceRow } from './tables.js'
import { numbersOfUdi, readUdi } from './udi.js'
import { gtinOfModel } from './use.js'

type Numbers = Pick<DeviceRow, (typeof numberNames)[number]>

/** The numbers of a device in their stored form. An empty number becomes null. */
export const storedNumbers = (sent: NonNullable<DeviceInput>): Numbers =>
  Object.fromEntries(
    numberNames.map((name) => [name, normalizeNumber(sent[name] ?? '') || null])
  ) as unknown as Numbers

/** A device was delivered in the century of the dates in its UDI. */
const contentOfUdi = ({ udi, from }: Pick<DeviceRow, 'udi' | 'from'>) =>
  udi === null ? {} : readUdi(udi, from.getUTCFullYear())

/** The numbers that a device lacks, as its UDI has them. */
export function numbersFromUdi(device: DeviceRow): Partial<Numbers> {
  const content = contentOfUdi(device)
  return Object.fromEntries(
    numbersOfUdi.flatMap((name) =>
      device[name] === null && content[name] !== undefined ? [[name, content[name]]] : []
    )
  )
}

/** The names of the numbers of a device that differ from its UDI. */
export function numbersNotOfUdi(device: DeviceRow): (typeof numbersOfUdi)[number][] {
  const content = contentOfUdi(device)
  return numbersOfUdi.filter((name) => {
    const [stored, read] = [device[name], content[name]]
    if (!stored || !read) return false
    // A month equals each of its days.
    if (name === 'expiryDate') return !stored.startsWith(read) && !read.startsWith(stored)
    return deviceNumberKey(stored) !== deviceNumberKey(read)
  })
}

/** A device with the GTIN by which it is found: that of its UDI, otherwise that of its model. */
export const withGtin = <D extends DeviceRow>(device: D): D => ({
  ...device,
  gtin: contentOfUdi(device).gtin ?? gtinOfModel(device)
})
