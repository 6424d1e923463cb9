import { itemResource } from '../../catalogue/resources.js'
import type { Ports } from '../../ports.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderLineResource } from '../model/resources.js'
import { numberNames } from './device.schemas.js'
import type { LineWithDevices } from './line-devices.js'
import type { DeviceRow } from './tables.js'

/** The members of an order line that are about devices. */
export const deviceMembers =
  ({ resourceUrls, terminology }: Pick<Ports, 'resourceUrls' | 'terminology'>) =>
  ({
    device,
    relatedDevice: related
  }: LineWithDevices): Required<Pick<OrderLine, 'relatedTo' | 'relatedDevice' | 'device'>> => ({
    relatedTo: related?.isShown ? resourceUrls.url(orderLineResource, related.lineId) : null,
    relatedDevice: related && {
      name: related.model.name,
      manufacturer: related.model.manufacturer,
      model: related.model.model,
      ...numbersOf(related)
    },
    device: device && {
      item: resourceUrls.url(itemResource, device.itemId),
      ...numbersOf(device),
      from: device.from.toISOString(),
      until: device.until?.toISOString() ?? null,
      endReason: device.endReason === null ? null : terminology.coding('device-end-reason', device.endReason)
    }
  })

/** The numbers of a device. */
export const numbersOf = (device: DeviceRow): Pick<DeviceRow, (typeof numberNames)[number]> =>
  Object.fromEntries(numberNames.map((name) => [name, device[name]])) as never
