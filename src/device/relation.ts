import { eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { catalogueItems, type ItemRow } from '../catalogue/tables.js'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import type { DeviceRow } from './tables.js'

/** The type of an item and, for a service, its device model. */
type ItemRelation = Pick<ItemRow, 'id' | 'type' | 'manufacturer' | 'model'> & {
  /** The model that a service is for, with its manufacturer and model; null for any. */
  modelId: string | null
}

const relatedModels = alias(catalogueItems, 'related_model')

/** Finds which device models items are for, by the ids of the items. */
export async function findItemRelations(
  db: Queryable,
  ids: readonly string[]
): Promise<ReadonlyMap<string, ItemRelation>> {
  const rows = await db
    .select({
      id: catalogueItems.id,
      type: catalogueItems.type,
      modelId: catalogueItems.relatedToId,
      manufacturer: relatedModels.manufacturer,
      model: relatedModels.model
    })
    .from(catalogueItems)
    .leftJoin(relatedModels, eq(relatedModels.id, catalogueItems.relatedToId))
    .where(inIds(catalogueItems.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The name of the problem of an item that does not serve a device. */
export type UnrelatedItem = 'unrelated-item.deliver' | 'unrelated-item.item'

/**
 * The name of the problem of a line with an action and an item that is about a device; undefined if
 * it can be ordered.
 */
export function relationErrorOf(
  action: string,
  item: ItemRelation | undefined,
  device: Pick<DeviceRow, 'itemId' | 'model'>
): UnrelatedItem | undefined {
  if (action === 'DELIVER') return 'unrelated-item.deliver'
  if (!item || item.id === device.itemId) return undefined
  if (item.type === 'DeviceModel') return action === 'REPLACE' ? undefined : 'unrelated-item.item'
  const { modelId, manufacturer, model } = item
  const isSameModel = manufacturer === device.model.manufacturer && model === device.model.model
  return modelId === null || modelId === device.itemId || isSameModel ? undefined : 'unrelated-item.item'
}
