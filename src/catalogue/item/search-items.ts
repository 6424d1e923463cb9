import { partyResource } from '../../agreement/resources.js'
import { parsePatientFilter } from '../../clinical/reference.js'
import { wordParams } from '../../db/sql/conditions.js'
import { authorizeAs, isAuthorized } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { parseFilterUrls } from '../../platform/util/resource-urls.js'
import { searchPatterns } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { parseCodeFilter } from '../../terminology/known-code.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { catalogueResource, itemResource } from '../resources.js'
import { parseAnnotationFilter } from './annotation-filter.js'
import { type AnnotationFilterValues, type ItemSearchParams, runItemSearch } from './item-search.statement.js'

export interface ItemFilters {
  buyer?: string
  patient?: string
  annotation?: string[]
  catalogue?: string
  seller?: string
  relatedTo?: string
  catalogueItemType?: 'DeviceModel' | 'Service'
  serviceType?: string
  status?: string
  q?: string
}

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
  const ids = parseFilterUrls(ports.resourceUrls, filters, {
    buyer: partyResource,
    catalogue: catalogueResource,
    seller: partyResource,
    relatedTo: itemResource
  })
  const { terminology } = ports
  const params: ItemSearchParams = {
    buyer: ids?.buyer,
    shownTo: isAuthorized(call.caller, annotationAccess.read) ? ids?.buyer : undefined,
    catalogue: ids?.catalogue,
    seller: ids?.seller,
    relatedTo: ids?.relatedTo,
    patient: filters.patient === undefined ? undefined : parsePatientFilter(filters.patient),
    type: filters.catalogueItemType,
    serviceType: parseCodeFilter(terminology, 'service-type', 'serviceType', filters.serviceType),
    status: parseCodeFilter(terminology, 'catalogue-item-status', 'status', filters.status),
    ...wordParams(searchPatterns(ports.limits, filters.q)),
    after: request.after,
    ...annotationValues(ports, filters.annotation ?? [])
  }
  if (!ids) return emptyPage
  return rawJsonPage(await runItemSearch(ports, call, params, request), request, ([id]) => String(id))
}

function authorizeFilters(call: Call, { buyer, patient, annotation }: ItemFilters): void {
  if (annotation !== undefined) authorizeAs(call, annotationAccess.read)
  if (buyer !== undefined && call.caller.userType === 'Provider')
    throw problem(
      'forbidden',
      'A Provider may not filter by buyer: the response would reveal the buyer’s white list.'
    )
  if (patient !== undefined && call.caller.userType !== 'MonitoringResponsible')
    throw problem('forbidden', 'Only MonitoringResponsible may filter by patient.')
}

/** The filter values as stored in annotations. A search does not query the terminology server. */
function annotationValues({ terminology }: Ports, texts: readonly string[]): AnnotationFilterValues {
  const values: AnnotationFilterValues = {}
  for (const [at, filter] of texts.map(parseAnnotationFilter).entries()) {
    values[`name${at}`] = filter.name
    values[`system${at}`] = terminology.storedSystem(filter.system)
    values[`code${at}`] = terminology.annotationCode(filter.name ?? '', filter)
  }
  return values
}
