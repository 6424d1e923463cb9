import { Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { type Filter, type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCode, byIdentifiers, byPatient, byReference, byValue, byWords } from '../../filters/kinds.js'
import { queryProblem } from '../../platform/errors/query-problem.js'
import { Enum } from '../../platform/schemas/schemas.js'
import { catalogueResource, itemResource } from '../resources.js'
import { catalogueItems, catalogues } from '../tables.js'
import { catalogueTexts } from '../texts.js'

/** A parsed `annotation` filter. Without a name it matches the value under any name. */
interface AnnotationFilter {
  name?: string
  system: string
  code: string
}

/** The members of each annotation filter, numbered from 0. */
type AnnotationParams = { [value in `${keyof AnnotationFilter}${number}`]?: string | undefined }

/** Annotation values, as stored: a search does not query the terminology server. */
const byAnnotations: Filter<{ annotation?: string[] }, AnnotationParams> = {
  name: 'annotation',
  schema: Type.Optional(
    Type.Array(Type.String({ maxLength: 4000 }), {
      maxItems: 20,
      description:
        '`<name>:<system>|<code>`, or the earlier `<system>/<code>`. An item must have all of them.',
      collectionFormat: 'multi'
    })
  ),
  parse({ terminology }, { annotation = [] }) {
    const params: AnnotationParams = {}
    for (const [at, filter] of annotation.map(parseAnnotationFilter).entries()) {
      params[`name${at}`] = filter.name
      params[`system${at}`] = terminology.storedSystem(filter.system)
      params[`code${at}`] = terminology.annotationCode(filter.name ?? '', filter)
    }
    return params
  },
  where: () => undefined
}

/** The filters of the search for items. Those without a column choose the items to search. */
export const itemFilters = listFilters(
  byReference('buyer', partyResource, 'URL of a buying party: items that it can order today.'),
  byPatient('URL of a clinical Patient: without items on the patient’s black list.'),
  byAnnotations,
  byReference('catalogue', catalogueResource, 'URL of a catalogue.'),
  byReference('seller', partyResource, 'URL of a delivering party.', catalogues.sellerId),
  byReference('relatedTo', itemResource, 'URL of a device model: services that relate to it.'),
  byValue<'catalogueItemType', 'DeviceModel' | 'Service'>(
    'catalogueItemType',
    Enum(['DeviceModel', 'Service'], 'Type of item.'),
    catalogueItems.type
  ),
  byCode('serviceType', 'service-type', 'Code of a service type.', catalogueItems.serviceType),
  byCode('status', 'catalogue-item-status', 'Code of an item status.', catalogueItems.status),
  byIdentifiers(catalogueItems.identifiers),
  byWords('the name, description, model, manufacturer and identifiers', catalogueItems)
)
export type ItemFilters = Given<typeof itemFilters>
export type ItemParams = Params<typeof itemFilters>

/**
 * Parses an `annotation` query parameter: `<name>:<system>|<code>`, or the earlier
 * `<system>/<code>`, the URL of the value. A name contains no `:`, so the first `:` ends it; a
 * system may contain more.
 * @throws Problem `invalid-query`.
 */
function parseAnnotationFilter(text: string): AnnotationFilter {
  const bar = text.lastIndexOf('|')
  const colon = text.indexOf(':')
  if (bar >= 0)
    return assertComplete({
      name: text.slice(0, Math.max(colon, 0)),
      system: text.slice(colon + 1, bar),
      code: text.slice(bar + 1)
    })
  const slash = text.lastIndexOf('/')
  const system = text.slice(0, Math.max(slash, 0))
  // Without a code the form with a name looks like `<name>:https://host/set`.
  const isUrl = /^[a-z][a-z0-9+.-]*:(?![a-z][a-z0-9+.-]*:\/\/)/i.test(system)
  return assertComplete({ system: isUrl ? system : '', code: text.slice(slash + 1) })
}

function assertComplete(filter: AnnotationFilter): AnnotationFilter {
  // A filter without a name: the first colon belongs to the scheme of the system.
  if (filter.system.startsWith('//') || filter.name === '' || filter.system === '' || filter.code === '')
    throw queryProblem('annotation', catalogueTexts.annotationForm)
  return filter
}
