import { Type } from '@sinclair/typebox'
import { eq, or, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { textArray } from '../../db/sql/conditions.js'
import {
  type Filter,
  type FilterPorts,
  filter,
  type Given,
  listFilters,
  type Params
} from '../../filters/filter.js'
import {
  byCodes,
  byIdentifiers,
  byPatient,
  byRangeEnd,
  byRangeStart,
  byReference,
  byValue,
  byWordsIn
} from '../../filters/kinds.js'
import { searchPatterns } from '../../filters/search-patterns.js'
import { endOfRange } from '../../platform/rest/time-range.js'
import { orderNumberOf } from '../model/order-number.js'
import { type Attention, isWithSeller, type OrderStatus, orderStatuses } from '../model/states.js'
import { orders } from '../store/tables.js'
import type { OrderSort } from './order-sort.js'

const byWordsOfTexts = byWordsIn(
  'the name, the identifiers, the receiver’s and the patient’s name; or the number of the order',
  orders.searchText
)

const byIdentifiersOfOrder = byIdentifiers(orders.identifiers)

/** The query parameter `identifier`: identifiers of an order, or its number. */
const byIdentifiersOrNumber: Filter<
  Given<typeof byIdentifiersOfOrder>,
  Params<typeof byIdentifiersOfOrder> & { numbers: string[] | undefined }
> = {
  ...byIdentifiersOfOrder,
  parse(ports, given) {
    const parsed = byIdentifiersOfOrder.parse(ports, given)
    const numbers = given.identifier?.flatMap((text) => orderNumberOf(text) ?? [])
    return parsed && { ...parsed, numbers }
  },
  where: ({ numbers, ...identifiers }) =>
    numbers === undefined
      ? undefined
      : or(byIdentifiersOfOrder.where(identifiers), sql`${orders.number} = any(${textArray(numbers)})`)
}

/** The query parameter `q`: words of the texts of an order, or its number. */
const byWordsOrNumber: Filter<
  { q?: string },
  Params<typeof byWordsOfTexts> & { number: string | undefined }
> = {
  ...byWordsOfTexts,
  parse: (_ports, { q = '' }) => ({ words: searchPatterns(q), number: orderNumberOf(q) }),
  where: ({ words, number }) =>
    number === undefined ? byWordsOfTexts.where({ words }) : eq(orders.number, number)
}

export const orderFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', orders.buyerId),
  byReference('seller', partyResource, 'URL of the delivering party.', orders.sellerId),
  byPatient('URL of the clinical Patient.', orders.patient),
  byCodes<'status', OrderStatus>('status', 'order-status', 'Code of an order status.', orders.status),
  byCodes<'attention', Attention>(
    'attention',
    'order-attention',
    'Attention code of a SUBMITTED or ACCEPTED order. The list has the orders with any of these codes.'
  ),
  byValue<'awaiting', 'BUYER' | 'SELLER'>(
    'awaiting',
    Type.Unsafe({
      type: 'string',
      enum: ['BUYER', 'SELLER'],
      description: 'The side whose answer a SUBMITTED or ACCEPTED order awaits.'
    }),
    orders.awaiting
  ),
  byValue<'priority', boolean>(
    'priority',
    Type.Boolean({ description: 'Whether the order is urgent.' }),
    orders.priority
  ),
  byRangeStart('from', 'First day of creation, yyyy-mm-dd, or a first instant.', orders.createdAt),
  byRangeEnd('to', 'Last day of creation, yyyy-mm-dd, or an exclusive end instant.', orders.createdAt),
  byRangeStart(
    'submittedFrom',
    'First day of submission, yyyy-mm-dd, or a first instant.',
    orders.submittedAt,
    // The submission changes the order, so the indexes of the time of the change limit the scan.
    orders.changedAt
  ),
  byRangeEnd(
    'submittedTo',
    'Last day of submission, yyyy-mm-dd, or an exclusive end instant.',
    orders.submittedAt
  ),
  byRangeStart(
    'updatedSince',
    'Orders that changed at this time or later: the `X-Updated-Until` of the previous poll, or a day, yyyy-mm-dd.',
    orders.changedAt
  ),
  filter(
    'dueTo',
    Type.String({
      format: 'date',
      description:
        'Day, yyyy-mm-dd: open orders that are late or unanswered, or will be by the end of the day.'
    }),
    (ports, sent: string) => endOfRange(ports, 'dueTo', sent),
    (end) => sql`${orders.dueAt} <= ${end}::text::timestamptz`
  ),
  byIdentifiersOrNumber,
  byWordsOrNumber
)

export type OrderFilters = Given<typeof orderFilters> & {
  sort?: OrderSort
  /** Whether to count all entries of the list. */
  count?: boolean
  expand?: string[]
}

/** A search as parameters of its statement: ids, timestamps as text, words as LIKE patterns. */
export type OrderSearch = Params<typeof orderFilters>

/**
 * Parses the filters. Only open orders have attention, await an answer or are due, so a search with
 * such a filter is a search for open orders. Undefined when no order can match.
 * @throws Problem `invalid-query`.
 */
export function parseOrderSearch(ports: FilterPorts, filters: OrderFilters): OrderSearch | undefined {
  const search = orderFilters.parse(ports, filters)
  if (!search?.attention && search?.awaiting === undefined && search?.dueTo === undefined) return search
  const status = (search.status ?? orderStatuses).filter(isWithSeller)
  return status.length === 0 ? undefined : { ...search, status }
}
