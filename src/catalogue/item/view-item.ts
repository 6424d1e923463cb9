import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { inOrderOf } from '../../platform/rest/in-order.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { catalogueSerializers } from '../serializers.js'
import type { CatalogueItem } from './item.schemas.js'
import { loadVisibleItems } from './item.store.js'

/**
 * Reads an item. A provider only sees its own.
 * @throws Problem `not-found`.
 */
export async function viewItem(ports: Ports, call: Call, id: string): Promise<Versioned<CatalogueItem>> {
  const [row] = await loadVisibleItems(ports.db, call, [id])
  if (!row) throw itemNotFound()
  return new Versioned(catalogueSerializers(ports).item.toJson(row), revisionOf(row))
}

/**
 * Reads items in the order of their ids.
 * @throws Problem `not-found` when the caller may not see all of them.
 */
export async function viewItems(ports: Ports, call: Call, ids: readonly string[]): Promise<CatalogueItem[]> {
  const rows = await loadVisibleItems(ports.db, call, ids)
  return inOrderOf(ids, rows, itemNotFound).map(catalogueSerializers(ports).item.toJson)
}

const itemNotFound = () => problem('not-found')
