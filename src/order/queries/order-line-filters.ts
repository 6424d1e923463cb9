import { eq, sql } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { type FilterPorts, type Given, listFilters } from '../../filters/filter.js'
import { byCodes, byPatient, byReference } from '../../filters/kinds.js'
import { type DeviceSearch, deviceFilters } from '../device/device-filters.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { orderLines } from '../store/tables.js'

/** The filters of order lines. The first four find their orders. */
export const lineFilters = listFilters(
  byReference('order', orderResource, 'URL of the order.'),
  byPatient('URL of the clinical Patient of the order.'),
  byReference(
    'item',
    itemResource,
    'URL of the catalogue item.',
    // In no index: it would find the lines of everybody.
    (item) => sql`${orderLines.itemId} is not distinct from ${item}`
  ),
  byReference(
    'relatedTo',
    orderLineResource,
    'URL of the order line that delivered the device that a line is about.',
    (line) => eq(orderLines.relatedTo, line)
  ),
  byCodes('action', 'order-line-action', 'Code of an order line action.', orderLines.action),
  byCodes('status', 'order-line-status', 'Code of an order line status.', orderLines.status)
)

/** The query parameters of the list of order lines. */
export const lineParameters = { ...lineFilters.schemas, ...deviceFilters.schemas }
export type OrderLineFilters = Given<typeof lineFilters> &
  Given<typeof deviceFilters> & {
    /** Resources to include. */
    expand?: string[]
  }

export type LineSearch = NonNullable<ReturnType<typeof lineFilters.parse>> & DeviceSearch

/**
 * Parses the filters of a list of order lines. Undefined when nothing can match.
 * @throws Problem `invalid-query`.
 */
export function parseLineSearch(ports: FilterPorts, given: OrderLineFilters): LineSearch | undefined {
  const [ofLine, ofDevice] = [lineFilters.parse(ports, given), deviceFilters.parse(ports, given)]
  return ofLine && ofDevice && { ...ofLine, ...ofDevice }
}
