import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { inOrderOf } from '../../platform/rest/in-order.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { toItem } from '../serializers.js'
import type { FindShownItems } from '../visibility.js'
import type { CatalogueItem } from './item.schemas.js'
import { loadReadableItems, loadVisibleItems } from './item.store.js'

/**
 * Reads an item. A provider sees its own, and those that are shown to it elsewhere.
 * @throws Problem `not-found`.
 */
export async function viewItem(
  ports: Ports,
  call: Call,
  id: string,
  findShown: FindShownItems
): Promise<Versioned<CatalogueItem>> {
  const [row] = await loadReadableItems(ports, call, [id], findShown)
  if (!row) throw itemNotFound()
  return new Versioned(toItem(ports, row), revisionOf(row))
}

/**
 * Reads items in the order of their ids.
 * @throws Problem `not-found` when the caller may not see all of them.
 */
export async function viewItems(ports: Ports, call: Call, ids: readonly string[]): Promise<CatalogueItem[]> {
  const rows = await loadVisibleItems(ports.db, call, ids)
  return inOrderOf(ids, rows, itemNotFound).map((row) => toItem(ports, row))
}

const itemNotFound = () => problem('not-found')
