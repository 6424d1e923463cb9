import { type Static, Type } from '@sinclair/typebox'
import { eq, sql } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { type FilterPorts, filter, type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCodes, byPatient, byReference, fromEnd, to } from '../../filters/kinds.js'
import { parseTogether, queryProblem } from '../../platform/errors/problem.js'
import { Enum } from '../../platform/schemas/schemas.js'
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
  byCodes('status', 'order-line-status', 'Code of an order line status.', orderLines.status),
  fromEnd(
    'agreedFrom',
    'First day, yyyy-mm-dd, or first instant of a range: lines whose agreed time overlaps it.',
    orderLines.agreedTo
  ),
  to(
    'agreedTo',
    'Last day, yyyy-mm-dd, or exclusive end instant of a range: lines whose agreed time overlaps it.',
    orderLines.agreedFrom
  ),
  filter(
    'agreed',
    Type.Boolean({ description: 'Lines by whether they have an agreed time.' }),
    (_ports, sent: boolean) => sent,
    (agreed) => sql`(${orderLines.agreedFrom} is not null) = ${agreed}`
  )
)

const sort = Enum(
  ['agreedFrom'],
  'By the start of the agreed time, instead of order by order. Only with `agreedFrom` or `agreedTo`.'
)

/** The query parameters of the list of order lines. */
export const lineParameters = {
  ...lineFilters.schemas,
  ...deviceFilters.schemas,
  sort: Type.Optional(sort)
}
export type OrderLineFilters = Given<typeof lineFilters> &
  Given<typeof deviceFilters> & {
    sort?: Static<typeof sort>
    /** Resources to include. */
    expand?: string[]
  }

export type LineSearch = Params<typeof lineFilters> &
  DeviceSearch & { sort: OrderLineFilters['sort'] | undefined }

/**
 * Parses the filters of a list of order lines. Undefined when nothing can match.
 * @throws Problem `invalid-query`.
 */
export function parseLineSearch(ports: FilterPorts, given: OrderLineFilters): LineSearch | undefined {
  const [ofLine, ofDevice, sort] = parseTogether(
    () => lineFilters.parse(ports, given),
    () => deviceFilters.parse(ports, given),
    () => parseSort(given)
  )
  return ofLine && ofDevice && { ...ofLine, ...ofDevice, sort }
}

function parseSort({ sort, agreedFrom, agreedTo }: OrderLineFilters) {
  if (sort !== undefined && agreedFrom === undefined && agreedTo === undefined)
    throw queryProblem('sort', {
      en: 'needs a range: agreedFrom, agreedTo or both',
      da: 'kræver et interval: agreedFrom, agreedTo eller begge'
    })
  return sort
}

/**
 * A time after which the latest agreed time of an order ends that has lines of a search. Undefined
 * if the lines need no agreed time.
 */
export const agreedAfter = ({ agreedFrom, agreedTo, agreed }: LineSearch): string | undefined =>
  agreedFrom ?? (agreedTo !== undefined || agreed ? '-infinity' : undefined)
