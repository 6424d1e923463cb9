import { partyResource } from '../agreement/resources.js'
import { columnSerializers } from '../db/json/column-serializers.js'
import { jsonObject, jsonWhen, type Serializer } from '../db/json/serializer.js'
import { eachField, type Fields } from '../platform/schemas/fields.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import { codingLookupOf } from '../terminology/known-code.js'
import { STORED_SYSTEM_PLACEHOLDER } from '../terminology/terminology.js'
import type { Annotation } from './annotation/annotation.schemas.js'
import type { Catalogue } from './catalogues/catalogue.schemas.js'
import { itemFields } from './item/item.fields.js'
import type { CatalogueItem } from './item/item.schemas.js'
import { catalogueResource, itemResource } from './resources.js'
import {
  type AnnotationRow,
  annotations,
  type CatalogueRow,
  catalogueItems,
  catalogues,
  type ItemRow
} from './tables.js'

type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>

/** The JSON serializers of catalogues, of items without their annotations, and of annotations. */
export const catalogueSerializers = memoizePerApp((ports: SerializerPorts) => ({
  catalogue: catalogueSerializer(ports),
  item: itemSerializer(ports),
  annotation: annotationSerializer(ports)
}))

const catalogue = columnSerializers<CatalogueRow>(catalogues)
const item = columnSerializers<ItemRow>(catalogueItems)
const annotation = columnSerializers<AnnotationRow>(annotations)

const catalogueSerializer = ({
  resourceUrls,
  terminology
}: SerializerPorts): Serializer<CatalogueRow, Catalogue> =>
  jsonObject({
    id: catalogue.value('id'),
    identifiers: catalogue.value('identifiers'),
    seller: catalogue.url('sellerId', resourceUrls.url(partyResource, '')),
    name: catalogue.value('name'),
    status: catalogue.coding('status', codingLookupOf(terminology, 'catalogue-status'))
  })

const fieldSerializers = <F extends Fields<{ column: keyof ItemRow }>>(fields: F) =>
  eachField(fields, ({ column }) => item.value(column)) as {
    [K in keyof F]: Serializer<ItemRow, ItemRow[F[K]['column']]>
  }

/** Serializes an item with the members of its type only. */
function itemSerializer({ resourceUrls, terminology }: SerializerPorts): Serializer<ItemRow, CatalogueItem> {
  const common = {
    id: item.value('id'),
    catalogueItemType: item.value('type'),
    identifiers: item.value('identifiers'),
    catalogue: item.url('catalogueId', resourceUrls.url(catalogueResource, '')),
    name: item.value('name'),
    ...fieldSerializers(itemFields.common),
    status: item.value('status')
  }
  return jsonWhen(
    item.equals('type', 'DeviceModel'),
    jsonObject({
      ...common,
      manufacturer: item.value('manufacturer') as Serializer<ItemRow, string>,
      model: item.value('model') as Serializer<ItemRow, string>,
      ...fieldSerializers(itemFields.DeviceModel)
    }),
    jsonObject({
      ...common,
      relatedTo: item.url('relatedToId', resourceUrls.url(itemResource, '')),
      serviceType: item.coding('serviceType', codingLookupOf(terminology, 'service-type')),
      ...fieldSerializers(itemFields.Service)
    })
  )
}

const annotationSerializer = ({
  resourceUrls,
  terminology
}: SerializerPorts): Serializer<AnnotationRow, Annotation> =>
  jsonObject({
    id: annotation.value('id'),
    catalogueItem: annotation.url('itemId', resourceUrls.url(itemResource, '')),
    buyer: annotation.url('buyerId', resourceUrls.url(partyResource, '')),
    name: annotation.value('name'),
    value: jsonObject({
      system: annotation.replacePrefix(
        'system',
        STORED_SYSTEM_PLACEHOLDER,
        terminology.publicSystem(STORED_SYSTEM_PLACEHOLDER)
      ),
      code: annotation.value('code'),
      display: annotation.value('display')
    })
  })
