import { type Static, Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { itemResource } from '../../catalogue/resources.js'
import { type DeviceSearch, deviceFilters } from '../../device/device-filters.js'
import { type FilterPorts, filter, type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCodes, byPatient, byRangeEnd, byRangeStartOfPeriods, byReference } from '../../filters/kinds.js'
import { parseAll, queryProblem } from '../../platform/errors/query-problem.js'
import { Enum } from '../../platform/schemas/schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import type { LineStatus } from '../model/states.js'
import { orderLines } from '../store/tables.js'
import { orderTexts } from '../texts.js'
import { type CalibrationDue, calibrationDueTo, parseCalibrationDue } from './calibration-due.js'

export const lineFilters = listFilters(
  byReference('order', orderResource, 'URL of the order.', orderLines.orderId),
  byPatient('URL of the clinical Patient of the order.', orderLines.patient),
  byReference('item', itemResource, 'URL of the catalogue item.', orderLines.itemId),
  byReference(
    'relatedTo',
    orderLineResource,
    'URL of the order line that delivered the device that a line is about.',
    orderLines.relatedTo
  ),
  byCodes('action', 'order-line-action', 'Code of an order line action.', orderLines.action),
  byCodes<'status', LineStatus>(
    'status',
    'order-line-status',
    'Code of an order line status.',
    orderLines.status
  ),
  byRangeStartOfPeriods(
    'agreedFrom',
    'First day, yyyy-mm-dd, or first instant of a range: lines whose agreed time overlaps it.',
    orderLines.agreedTo
  ),
  byRangeEnd(
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

export const lineParameters = {
  ...lineFilters.schemas,
  ...deviceFilters.schemas,
  calibrationDueTo,
  sort: Type.Optional(sort)
}
export type OrderLineFilters = Given<typeof lineFilters> &
  Given<typeof deviceFilters> & {
    calibrationDueTo?: string
    sort?: Static<typeof sort>
    expand?: string[]
  }

export type LineSearch = Params<typeof lineFilters> &
  DeviceSearch & { sort: OrderLineFilters['sort'] | undefined; calibrationDue: CalibrationDue | undefined }

/**
 * Parses the filters of a list of order lines. Undefined when no line can match.
 * @throws Problem `invalid-query`.
 */
export function parseLineSearch(ports: FilterPorts, given: OrderLineFilters): LineSearch | undefined {
  const [ofLine, ofDevice, sort] = parseAll(
    () => lineFilters.parse(ports, given),
    () => deviceFilters.parse(ports, given),
    () => parseSort(given)
  )
  const calibrationDue = parseCalibrationDue(ports, given.calibrationDueTo)
  return ofLine && ofDevice && { ...ofLine, ...ofDevice, sort, calibrationDue }
}

function parseSort({ sort, agreedFrom, agreedTo }: OrderLineFilters) {
  if (sort !== undefined && agreedFrom === undefined && agreedTo === undefined)
    throw queryProblem('sort', orderTexts.sortNeedsRange)
  return sort
}
