import { partyResource } from '../../agreement/resources.js'
import { parsePatientFilter } from '../../clinical/reference.js'
import { endOfRange, startOfRange } from '../../platform/rest/time-range.js'
import { parseFilterUrls } from '../../platform/util/resource-urls.js'
import { searchPatterns } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { parseCodesFilter } from '../../terminology/known-code.js'
import type { OrderStatus } from '../model/order.state.js'
import type { OrderSort } from './order-sort.js'

/** The query parameters of the list of orders. */
export interface OrderFilters {
  buyer?: string
  seller?: string
  patient?: string
  /** Codes; each text may hold several, separated by commas. */
  status?: string[]
  priority?: boolean
  /** Range of creation: first and last day, or a first instant and an exclusive end. */
  from?: string
  to?: string
  submittedFrom?: string
  submittedTo?: string
  /** Orders that changed at this time or later. */
  updatedSince?: string
  q?: string
  sort?: OrderSort
  /** Whether to count all entries of the list. */
  count?: boolean
  /** Resources to include. */
  expand?: string[]
}

/** A search as parameters of its statement: ids, timestamps as text, words as LIKE patterns. */
export interface OrderSearch {
  buyer: string | undefined
  seller: string | undefined
  patient: string | undefined
  statuses: OrderStatus[] | undefined
  priority: boolean | undefined
  from: string | undefined
  to: string | undefined
  submittedFrom: string | undefined
  submittedTo: string | undefined
  updatedSince: string | undefined
  words: string[] | undefined
}

/**
 * Parses the filters of a list of orders. Undefined when nothing can match.
 * @throws Problem `invalid-query`.
 */
export function parseOrderSearch(ports: Ports, filters: OrderFilters): OrderSearch | undefined {
  const { buyer, seller, status, priority } = filters
  const patient = filters.patient === undefined ? undefined : parsePatientFilter(filters.patient)
  const ids = parseFilterUrls(
    ports.resourceUrls,
    { ...(buyer !== undefined && { buyer }), ...(seller !== undefined && { seller }) },
    { buyer: partyResource, seller: partyResource }
  )
  const statuses = parseCodesFilter<OrderStatus>(ports.terminology, 'order-status', 'status', status)
  const start = (name: 'from' | 'submittedFrom' | 'updatedSince') =>
    filters[name] === undefined ? undefined : startOfRange(ports, name, filters[name])
  const end = (name: 'to' | 'submittedTo') =>
    filters[name] === undefined ? undefined : endOfRange(ports, name, filters[name])
  const times = {
    from: start('from'),
    to: end('to'),
    submittedFrom: start('submittedFrom'),
    submittedTo: end('submittedTo'),
    updatedSince: start('updatedSince')
  }
  const words = searchPatterns(ports.limits, filters.q)
  return ids && { buyer: ids.buyer, seller: ids.seller, patient, statuses, priority, ...times, words }
}
