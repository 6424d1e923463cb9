import { authorizeAs, isAuthorized } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { type ItemFilters, itemFilters } from './item-filters.js'
import { type ItemSearchParams, runItemSearch } from './item-search.statement.js'

/**
 * Searches items. With a buyer: items that the buyer can order today, with the buyer's annotations
 * if the caller may read them. With a patient (only for MonitoringResponsible): without items on
 * the patient's black list. All annotation filters must match.
 * @throws Problem `forbidden`, `invalid-query`.
 */
export async function searchItems(
  ports: Ports,
  call: Call,
  filters: ItemFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  authorizeFilters(call, filters)
  const given = itemFilters.parse(ports, filters)
  if (!given) return emptyPage
  const mayReadAnnotations = isAuthorized(call.caller, annotationAccess.read)
  const params: ItemSearchParams = {
    ...given,
    shownTo: mayReadAnnotations ? given.buyer : undefined,
    after: request.after
  }
  return rawJsonPage(await runItemSearch(ports, call, params, request), request, ([id]) => String(id))
}

function authorizeFilters(call: Call, { buyer, patient, annotation }: ItemFilters): void {
  if (annotation !== undefined) authorizeAs(call, annotationAccess.read)
  if (buyer !== undefined && call.caller.userType === 'Provider')
    throw problem('forbidden', {
      en: 'A Provider may not filter by buyer: the response would reveal the buyer’s white list.',
      da: 'Provider må ikke filtrere efter køber: svaret ville vise køberens hvidliste.'
    })
  if (patient !== undefined && call.caller.userType !== 'MonitoringResponsible')
    throw problem('forbidden', {
      en: 'Only MonitoringResponsible may filter by patient.',
      da: 'Kun MonitoringResponsible må filtrere efter patient.'
    })
}
