import { partyResource } from '../agreement/resources.js'
import type { Call } from '../platform/auth/call.js'
import type { TextFields } from '../platform/schemas/fields.js'
import type { Ports } from '../ports.js'
import type { Annotation } from './annotation/annotation.schemas.js'
import type { BlackListEntry } from './black-list/black-list.schemas.js'
import type { Catalogue } from './catalogues/catalogue.schemas.js'
import { type ItemFieldColumn, itemFields } from './item/item.fields.js'
import type { CatalogueItem } from './item/item.schemas.js'
import { catalogueResource, itemResource } from './resources.js'
import type { AnnotationRow, BlackListRow, CatalogueRow, ItemRow, WhiteListRow } from './tables.js'
import type { WhiteListEntry } from './white-list/white-list.schemas.js'

/* Each function makes the resource that a response shows of a row. */

type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>

/** The caller who reads. */
type Reader = Pick<Call, 'language'>

export type ShownCatalogueRow = Omit<CatalogueRow, 'eventCount' | 'createdAt'>

export const toCatalogue = (
  { resourceUrls, terminology }: SerializerPorts,
  { language }: Reader,
  row: ShownCatalogueRow
): Catalogue => ({
  id: row.id,
  identifiers: row.identifiers,
  seller: resourceUrls.url(partyResource, row.sellerId),
  name: row.name,
  status: terminology.coding('catalogue-status', row.status, language)
})

export type ShownItemRow = Omit<ItemRow, 'searchText' | 'eventCount' | 'createdAt' | 'withdrawnAt'>

/**
 * An item with the members of its type, without seller and annotations. Members are assigned one by
 * one: an object literal that contains a spread takes nine times as long.
 */
export function toItem(
  { resourceUrls, terminology }: SerializerPorts,
  { language }: Reader,
  row: ShownItemRow
): CatalogueItem {
  const item = {
    id: row.id,
    catalogueItemType: row.type,
    identifiers: row.identifiers,
    catalogue: resourceUrls.url(catalogueResource, row.catalogueId),
    name: row.name
  } as CatalogueItem
  setTexts(item, itemFields.common, row)
  item.status = row.status
  if (row.type === 'DeviceModel') {
    item.manufacturer = row.manufacturer ?? ''
    item.model = row.model ?? ''
  } else {
    item.relatedTo = row.relatedToId === null ? null : resourceUrls.url(itemResource, row.relatedToId)
    item.serviceType = terminology.coding('service-type', row.serviceType ?? '', language)
  }
  setTexts(item, itemFields[row.type], row)
  return item
}

function setTexts(item: Record<string, unknown>, fields: TextFields, row: ShownItemRow): void {
  for (const name in fields) item[name] = row[fields[name]?.column as ItemFieldColumn]
}

export const toAnnotation = (
  { resourceUrls, terminology }: SerializerPorts,
  { language }: Reader,
  row: Omit<AnnotationRow, 'eventCount' | 'createdAt'>
): Annotation => ({
  id: row.id,
  catalogueItem: resourceUrls.url(itemResource, row.itemId),
  buyer: resourceUrls.url(partyResource, row.buyerId),
  name: row.name,
  value: terminology.translate(
    { system: terminology.publicSystem(row.system), code: row.code, display: row.display },
    language
  )
})

export const toWhiteListEntry = (
  { resourceUrls }: Pick<SerializerPorts, 'resourceUrls'>,
  row: Omit<WhiteListRow, 'createdAt'>
): WhiteListEntry => ({
  id: row.id,
  buyer: resourceUrls.url(partyResource, row.buyerId),
  item: resourceUrls.url(itemResource, row.itemId)
})

export const toBlackListEntry = (
  { resourceUrls }: Pick<SerializerPorts, 'resourceUrls'>,
  row: Omit<BlackListRow, 'organization' | 'createdAt'>
): BlackListEntry => ({
  id: row.id,
  patient: row.patient,
  item: resourceUrls.url(itemResource, row.itemId)
})
