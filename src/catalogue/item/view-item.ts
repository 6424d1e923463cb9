import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { catalogueSerializers } from '../serializers.js'
import type { CatalogueItem } from './item.schemas.js'
import { loadItem } from './item.store.js'

/**
 * Reads an item. A provider only sees its own.
 * @throws Problem `not-found`.
 */
export async function viewItem(ports: Ports, actor: Actor, id: string): Promise<CatalogueItem> {
  const row = await loadItem(ports, actor, id, ports.readDb)
  if (!row) throw problem('not-found', 'There is no such catalogue item.')
  return catalogueSerializers(ports).item.toJson(row)
}
