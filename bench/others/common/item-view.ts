import { coding, shownSystem } from './codings.js'
import { catalogueUrl, itemUrl, partyUrl } from './references.js'

interface ItemRow {
  id: string
  catalogueId: string
  type: string
  identifiers: unknown
  name: string
  description: string | null
  status: string
  manufacturer: string | null
  model: string | null
  version: string | null
  relatedToId: string | null
  serviceType: string | null
}

interface AnnotationRow {
  id: string
  itemId: string
  buyerId: string
  name: string
  system: string
  code: string
  display: string | null
}

/** The wire form of an item: the members of its type, and annotations where they were asked for. */
export function itemOf(row: ItemRow, annotations?: AnnotationRow[]) {
  const common = {
    id: row.id,
    catalogueItemType: row.type,
    identifiers: row.identifiers,
    catalogue: catalogueUrl(row.catalogueId),
    name: row.name,
    description: row.description,
    status: row.status,
    ...(annotations ? { annotations: annotations.map(annotationOf) } : {})
  }
  if (row.type === 'DeviceModel')
    return { ...common, manufacturer: row.manufacturer, model: row.model, version: row.version }
  return {
    ...common,
    relatedTo: row.relatedToId && itemUrl(row.relatedToId),
    serviceType: coding('service-type', row.serviceType ?? '')
  }
}

const annotationOf = (row: AnnotationRow) => ({
  id: row.id,
  catalogueItem: itemUrl(row.itemId),
  buyer: partyUrl(row.buyerId),
  name: row.name,
  value: { system: shownSystem(row.system), code: row.code, display: row.display }
})
