import { type SQL, sql } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { catalogueItems, type ItemRow } from '../../catalogue/tables.js'
import { columnSerializers } from '../../db/json/column-serializers.js'
import {
  jsonNull,
  jsonObject,
  jsonText,
  jsonWhen,
  openJsonText,
  quoteLiteral,
  type Serializer
} from '../../db/json/serializer.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { codingLookupOf } from '../../terminology/known-code.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderLineResource } from '../model/resources.js'
import { type Device, numberNames, type RelatedDevice } from './device.schemas.js'
import type { LineWithDevices } from './line-devices.js'
import { type DeviceRow, devices } from './tables.js'

type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>
type Numbers = Pick<DeviceRow, (typeof numberNames)[number]>
type Model = Pick<RelatedDevice, 'name' | 'manufacturer' | 'model'>

const device = columnSerializers<DeviceRow>(devices)
const item = columnSerializers<Pick<ItemRow, keyof Model>>(catalogueItems)

const numberMembers = Object.fromEntries(numberNames.map((name) => [name, device.value(name)])) as {
  [K in keyof Numbers]: Serializer<DeviceRow, DeviceRow[K]>
}
const numbers = jsonObject<DeviceRow, Numbers>(numberMembers)
const model = jsonObject<Pick<ItemRow, keyof Model>, Model>({
  name: item.value('name'),
  manufacturer: item.value('manufacturer'),
  model: item.value('model')
})

const deviceSerializer = memoizePerApp(({ resourceUrls, terminology }: SerializerPorts) =>
  jsonObject<DeviceRow, Device>({
    item: device.url('itemId', resourceUrls.url(itemResource, '')),
    ...numberMembers,
    from: device.timestamp('from'),
    until: device.timestamp('until'),
    endReason: jsonWhen(
      device.isSet('endReason'),
      device.coding('endReason', codingLookupOf(terminology, 'device-end-reason')),
      jsonNull
    )
  })
)

/** The numbers of a device. */
export const numbersOf = (row: DeviceRow): Numbers => numbers.toJson(row)

type DeviceMembers = Required<Pick<OrderLine, 'relatedTo' | 'relatedDevice' | 'device'>>

/** The members of an order line that are about devices. */
export const deviceMembers =
  (ports: SerializerPorts) =>
  ({ device, relatedDevice: related }: LineWithDevices): DeviceMembers => ({
    relatedTo: related?.isShown ? ports.resourceUrls.url(orderLineResource, related.lineId) : null,
    relatedDevice: related && { ...model.toJson(related.model), ...numbersOf(related) },
    device: device && deviceSerializer(ports).toJson(device)
  })

/**
 * SQL expression: the same members as JSON text that begins with a comma, of a line whose device is
 * `d`. The related one is `related`, with its `model`, and the `party` on the reader's side of its
 * order.
 */
export const deviceMembersText = (ports: SerializerPorts, organization: SQL): SQL => {
  const url = JSON.stringify(ports.resourceUrls.url(orderLineResource, '')).slice(0, -1)
  return sql`',"relatedTo":' || case when party.organization = ${organization}
      then ${sql.raw(quoteLiteral(url))} || related.line_id || '"' else 'null' end
    || ',"relatedDevice":' || case when related.line_id is null then 'null'
      else ${openJsonText(model, 'model')} || ',' || substr(${jsonText(numbers, 'related')}, 2) end
    || ',"device":' || case when d.line_id is null then 'null'
      else ${jsonText(deviceSerializer(ports), 'd')} end`
}
