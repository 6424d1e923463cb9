import type { ItemSnapshot } from '../catalogue/item-snapshot.js'
import { itemResource } from '../catalogue/resources.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'
import type { Device, RelatedDevice } from './device.schemas.js'
import { numbersNotOfUdi } from './numbers.js'
import type { StoredDevice } from './store.js'
import type { DeviceRow } from './tables.js'
import { endReasonBy } from './use.js'

/**
 * The device that a line delivered, in the wire format. The response to a seller must not disclose
 * a black list.
 */
export const toDevice = (
  { resourceUrls, terminology }: Pick<Ports, 'resourceUrls' | 'terminology'>,
  { language, scope }: Pick<Call, 'language' | 'scope'>,
  row: DeviceRow & Partial<Pick<StoredDevice, 'alsoInUse'>>
): Device => ({
  item: resourceUrls.url(itemResource, row.itemId),
  ...(scope === 'own-buyer' && !row.isOrderable && { isOrderable: false }),
  ...toItemSnapshot(row.model),
  ...numbersOf(row),
  differsFromUdi: numbersNotOfUdi(row),
  from: row.from.toISOString(),
  until: row.until === null ? null : row.until.toISOString(),
  endReason: row.endReason === null ? null : terminology.coding('device-end-reason', row.endReason, language),
  ...(row.alsoInUse && { alsoInUse: true })
})

/** The device that a line is about, in the wire format. */
export const toRelatedDevice = (
  { terminology }: Pick<Ports, 'terminology'>,
  { language }: Pick<Call, 'language'>,
  row: DeviceRow,
  lineId: string
): RelatedDevice => {
  const endReason = endReasonBy(lineId, row)
  return {
    ...toItemSnapshot(row.model),
    ...numbersOf(row),
    endReason: endReason === null ? null : terminology.coding('device-end-reason', endReason, language)
  }
}

/** The item as it was, with its members in the order of the response: PostgreSQL sorts them. */
export const toItemSnapshot = (item: ItemSnapshot): ItemSnapshot => ({
  name: item.name,
  manufacturer: item.manufacturer,
  model: item.model,
  version: item.version,
  identifiers: item.identifiers
})

const numbersOf = ({ serialNumber, lotNumber, udi, expiryDate }: DeviceRow) => ({
  serialNumber,
  lotNumber,
  udi,
  expiryDate
})
