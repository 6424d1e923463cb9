import type { Call } from '../../platform/auth/call.js'
import { authorizeAs, isAuthorized } from '../../platform/auth/scope.js'
import type { Ports } from '../../ports.js'
import { itemRead } from '../catalogue.access.js'
import { toItem } from '../serializers.js'
import type { FindShownItems } from '../visibility.js'
import type { CatalogueItem } from './item.schemas.js'
import { loadReadableItems } from './item.store.js'

/** Reads those of the items that the caller may read, each as it is read by its id. */
export async function viewReadableItems(
  ports: Ports,
  call: Call,
  ids: readonly string[],
  findShown: FindShownItems
): Promise<CatalogueItem[]> {
  if (ids.length === 0 || !isAuthorized(call.caller, itemRead)) return []
  const rows = await loadReadableItems(ports, authorizeAs(call, itemRead), ids, findShown)
  return rows.map((row) => toItem(ports, call, row))
}
