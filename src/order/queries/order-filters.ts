import { Type } from '@sinclair/typebox'
import { type Placeholder, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { type FilterPorts, filter, type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCodes, byPatient, byReference, byValue, byWordsIn, from, to } from '../../filters/kinds.js'
import { endOfRange } from '../../platform/rest/time-range.js'
import type { Attention } from '../model/attention.js'
import { isWithSeller, type OrderStatus, orderStatuses } from '../model/order.state.js'
import { orderLines, orders } from '../store/tables.js'
import type { OrderSort } from './order-sort.js'

/** SQL condition: an order is to be delivered until the end of a day, `yyyy-mm-dd 24:00 …`. */
const isDue = (end: Placeholder | string) =>
  sql`(${orders.latestDeliveryDate} <= left(${end}::text, 10)::date or exists (
    select from ${orderLines} where ${orderLines.orderId} = ${orders.id} and ${orderLines.deletedAt} is null
      and ${orderLines.status} = 'SUBMITTED' and ${orderLines.agreedTo} <= ${end}::text::timestamptz))`

/** The filters of the list of orders. */
export const orderFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', orders.buyerId),
  byReference('seller', partyResource, 'URL of the delivering party.', orders.sellerId),
  byPatient('URL of the clinical Patient.', orders.patient),
  byCodes<'status', OrderStatus>('status', 'order-status', 'Code of an order status.', orders.status),
  byCodes<'attention', Attention>(
    'attention',
    'order-attention',
    'Code of what a SUBMITTED or ACCEPTED order waits for. Orders with any of them are listed.'
  ),
  byValue<'priority', boolean>(
    'priority',
    Type.Boolean({ description: 'Whether the order is urgent.' }),
    orders.priority
  ),
  from('from', 'First day of creation, yyyy-mm-dd, or a first instant.', orders.createdAt),
  to('to', 'Last day of creation, yyyy-mm-dd, or an exclusive end instant.', orders.createdAt),
  from(
    'submittedFrom',
    'First day of submission, yyyy-mm-dd, or a first instant.',
    orders.submittedAt,
    // An order changes when it is submitted. This bounds what is read of `…_changed_idx`.
    orders.changedAt
  ),
  to('submittedTo', 'Last day of submission, yyyy-mm-dd, or an exclusive end instant.', orders.submittedAt),
  from(
    'updatedSince',
    'Orders that changed at this time or later: the `X-Updated-Until` of the previous poll, or a day, yyyy-mm-dd.',
    orders.changedAt
  ),
  filter(
    'dueTo',
    Type.String({
      format: 'date',
      description:
        'Day, yyyy-mm-dd: running orders that are to be delivered until then, by the buyer’s latest delivery date or the agreed time of a SUBMITTED line.'
    }),
    (ports, sent: string) => endOfRange(ports, 'dueTo', sent),
    isDue
  ),
  byWordsIn('the name, the identifiers and the receiver’s name', orders.searchText)
)

/** The query parameters of the list of orders. */
export type OrderFilters = Given<typeof orderFilters> & {
  sort?: OrderSort
  /** Whether to count all entries of the list. */
  count?: boolean
  /** Resources to include. */
  expand?: string[]
}

/** A search as parameters of its statement: ids, timestamps as text, words as LIKE patterns. */
export type OrderSearch = Params<typeof orderFilters>

/**
 * Reads the filters. Only running orders have attention or are due, so a search for it finds no
 * others.
 * Undefined when nothing can match.
 * @throws Problem `invalid-query`.
 */
export function parseOrderSearch(ports: FilterPorts, filters: OrderFilters): OrderSearch | undefined {
  const search = orderFilters.parse(ports, filters)
  if (!search?.attention && search?.dueTo === undefined) return search
  const status = (search.status ?? orderStatuses).filter(isWithSeller)
  return status.length === 0 ? undefined : { ...search, status }
}
