import { Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { itemResource } from '../catalogue/resources.js'
import { filter, listFilters, type Params } from '../filters/filter.js'
import { byReferences, byText } from '../filters/kinds.js'
import { devices } from './tables.js'

/** The filters of a list of order lines by the devices that they delivered. */
export const deviceFilters = listFilters(
  filter(
    'inUse',
    Type.Boolean({
      description: 'Lines that delivered a device, by whether it is in use. `false`: its use has ended.'
    }),
    (_ports, sent: boolean) => sent,
    (inUse) => sql`(${devices.until} is null) = ${inUse}`
  ),
  byReferences('deviceItem', itemResource, 'URL of the device model of a delivered device.', devices.itemId),
  byText('serialNumber', 'The exact serial number of a delivered device.', devices.serialNumber),
  byText('lotNumber', 'The exact lot number of a delivered device.', devices.lotNumber),
  byText('udi', 'The exact unique device identifier of a delivered device, as scanned.', devices.udi)
)
export type DeviceSearch = Params<typeof deviceFilters>
