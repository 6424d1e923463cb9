import { partyKind } from '../agreement/resources.js'
import { serializersOf } from '../db/json/column-serializers.js'
import { either, object, type Serializer } from '../db/json/serializer.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import { codesOf } from '../terminology/known-code.js'
import { ownSystems } from '../terminology/terminology.js'
import type { Annotation } from './annotation/annotation.schemas.js'
import type { AnnotationRow } from './annotation/annotation.store.js'
import type { Catalogue } from './catalogue/catalogue.schemas.js'
import type { CatalogueItem } from './item/item.schemas.js'
import type { ItemRow } from './item/item.store.js'
import { catalogueKind, itemKind } from './resources.js'
import { annotations, catalogueItems, catalogues } from './tables.js'

type CatalogueRow = typeof catalogues.$inferSelect
type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>

/** The JSON serializers of catalogues, of items without their annotations, and of annotations. */
export const catalogueSerializers = memoizePerApp((ports: SerializerPorts) => ({
  catalogue: catalogueSerializer(ports),
  item: itemSerializer(ports),
  annotation: annotationSerializer(ports)
}))

const catalogue = serializersOf<CatalogueRow>(catalogues)
const item = serializersOf<ItemRow>(catalogueItems)
const annotation = serializersOf<AnnotationRow>(annotations)

const catalogueSerializer = ({
  resourceUrls,
  terminology
}: SerializerPorts): Serializer<CatalogueRow, Catalogue> =>
  object({
    id: catalogue.value('id'),
    identifiers: catalogue.value('identifiers'),
    seller: catalogue.url('sellerId', resourceUrls.url(partyKind, '')),
    name: catalogue.value('name'),
    status: catalogue.coding('status', codesOf(terminology, 'catalogue-status'))
  })

/** Serializes an item with the members of its type only. */
function itemSerializer({ resourceUrls, terminology }: SerializerPorts): Serializer<ItemRow, CatalogueItem> {
  const common = {
    id: item.value('id'),
    catalogueItemType: item.value('type'),
    identifiers: item.value('identifiers'),
    catalogue: item.url('catalogueId', resourceUrls.url(catalogueKind, '')),
    name: item.value('name'),
    description: item.value('description'),
    status: item.value('status')
  }
  return either(
    item.is('type', 'DeviceModel'),
    object({
      ...common,
      manufacturer: item.value('manufacturer') as Serializer<ItemRow, string>,
      model: item.value('model') as Serializer<ItemRow, string>,
      version: item.value('version')
    }),
    object({
      ...common,
      relatedTo: item.url('relatedToId', resourceUrls.url(itemKind, '')),
      serviceType: item.coding('serviceType', codesOf(terminology, 'service-type'))
    })
  )
}

const annotationSerializer = ({
  resourceUrls,
  terminology
}: SerializerPorts): Serializer<AnnotationRow, Annotation> =>
  object({
    id: annotation.value('id'),
    catalogueItem: annotation.url('itemId', resourceUrls.url(itemKind, '')),
    buyer: annotation.url('buyerId', resourceUrls.url(partyKind, '')),
    name: annotation.value('name'),
    value: object({
      system: annotation.renamed('system', ownSystems, terminology.shown(ownSystems)),
      code: annotation.value('code'),
      display: annotation.value('display')
    })
  })
