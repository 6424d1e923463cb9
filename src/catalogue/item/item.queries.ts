import type { Call } from '../../platform/auth/call.js'
import { authorizeAs, isAuthorized } from '../../platform/auth/scope.js'
import { problem } from '../../platform/errors/problem.js'
import {
  emptyPage,
  inOrderOf,
  type Page,
  type PageRequest,
  serializedPage
} from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../catalogue.access.js'
import { catalogueProblem } from '../problems.js'
import { toItem } from '../serializers.js'
import { type FindShownItems, seesAllCatalogues } from '../visibility.js'
import { foundItemJson, itemUrlsOf } from './found-item.js'
import type { CatalogueItem } from './item.schemas.js'
import { loadReadableItems, loadVisibleItems } from './item.store.js'
import { type ItemFilters, itemFilters } from './item-filters.js'
import {
  findItems,
  type ItemPosition,
  type ItemSearchParams,
  itemPositionOf
} from './item-search.statement.js'

/**
 * Reads an item. A provider sees its own, and those that are shown to it elsewhere.
 * @throws Problem `not-found`.
 */
export async function viewItem(
  ports: Ports,
  call: Call,
  id: string,
  findShown: FindShownItems
): Promise<Versioned<CatalogueItem>> {
  const [row] = await loadReadableItems(ports, call, [id], findShown)
  if (!row) throw itemNotFound()
  return new Versioned(toItem(ports, call, row), revisionOf(row))
}

/**
 * Reads items in the order of their ids.
 * @throws Problem `not-found` when the caller may not see all of them.
 */
export async function viewItems(ports: Ports, call: Call, ids: readonly string[]): Promise<CatalogueItem[]> {
  const rows = await loadVisibleItems(ports.db, call, ids)
  return inOrderOf(ids, rows, itemNotFound).map((row) => toItem(ports, call, row))
}

const itemNotFound = () => problem('not-found')

/**
 * Searches items, sorted by name as in Danish, then id. With a buyer: items that it can order now,
 * with the buyer's annotations if the caller may read them. With a patient (only for
 * MonitoringResponsible): without items on the patient's black list. All annotation filters must
 * match.
 * @throws Problem `forbidden`, `invalid-query`.
 */
export async function searchItems(
  ports: Ports,
  call: Call,
  filters: ItemFilters,
  request: PageRequest<ItemPosition>
): Promise<Page<ItemPosition>> {
  authorizeFilters(call, filters)
  const given = itemFilters.parse(ports, filters)
  if (!given) return emptyPage
  const buyer = isAuthorized(call.caller, annotationAccess.read) ? given.buyer : undefined
  const params: ItemSearchParams = {
    ...given,
    ownSeller: seesAllCatalogues(call) ? undefined : (call.caller.organization ?? ''),
    shownTo: buyer,
    after: request.after?.id,
    afterSortName: request.after?.sortName
  }
  const { limit, bytes } = request
  const values = { today: ports.today(), rows: limit + 1, bytes, ...itemUrlsOf(ports) }
  const found = await findItems(ports.db, params, values)
  return serializedPage(
    found,
    request,
    itemPositionOf,
    (item) => foundItemJson(ports, call, item, buyer),
    (found[0]?.found ?? 0) > found.length
  )
}

function authorizeFilters(call: Call, { buyer, patient, annotation }: ItemFilters): void {
  if (annotation !== undefined) authorizeAs(call, annotationAccess.read)
  if (buyer !== undefined && call.caller.userType === 'Provider')
    throw catalogueProblem('forbidden.filterByBuyer')
  if (patient !== undefined && call.caller.userType !== 'MonitoringResponsible')
    throw catalogueProblem('forbidden.filterByPatient')
}
