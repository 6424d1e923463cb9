import type { Actor } from '../platform/actor.js'
import { problem } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import type { Annotation } from './annotation.schemas.js'
import type { CatalogueItem } from './item.schemas.js'
import { type ItemRow, loadItem } from './item.store.js'
import { catalogueKind, itemKind } from './kinds.js'

/**
 * An item as its readers see it; a provider sees its own.
 * @throws Problem `not-found`.
 */
export async function viewItem(ports: Ports, actor: Actor, id: string): Promise<CatalogueItem> {
  const row = await loadItem(ports.db, actor, id)
  if (!row) throw problem('not-found', 'There is no such catalogue item.')
  return itemOf(ports, row)
}

/** What of an item is shown. */
export type ShownItem = Omit<ItemRow, 'searchText' | 'createdAt'>

/** The wire form of an item: the members of its type, and annotations where they were asked for. */
export function itemOf(
  { references, terminology }: Ports,
  row: ShownItem,
  annotations?: Annotation[]
): CatalogueItem {
  const { id, name, description, status, identifiers } = row
  const common = {
    id,
    catalogueItemType: row.type,
    identifiers,
    catalogue: references.url(catalogueKind, row.catalogueId),
    name,
    description,
    status,
    ...(annotations ? { annotations } : {})
  }
  if (row.type === 'DeviceModel')
    return { ...common, manufacturer: row.manufacturer ?? '', model: row.model ?? '', version: row.version }
  return {
    ...common,
    relatedTo: row.relatedToId && references.url(itemKind, row.relatedToId),
    serviceType: terminology.coding('service-type', row.serviceType ?? '')
  }
}
