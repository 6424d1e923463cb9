import { Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { type Filter, type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCode, byPatient, byReference, byValue, byWords } from '../../filters/kinds.js'
import { Enum } from '../../platform/schemas/schemas.js'
import { catalogueResource, itemResource } from '../resources.js'
import { catalogueItems, catalogues } from '../tables.js'
import { type AnnotationFilter, parseAnnotationFilter } from './annotation-filter.js'

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
  byWords('the name, description, model, manufacturer and identifiers', catalogueItems)
)
export type ItemFilters = Given<typeof itemFilters>
export type ItemParams = Params<typeof itemFilters>
