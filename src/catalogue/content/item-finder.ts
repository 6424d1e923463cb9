import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { ItemRow } from '../tables.js'
import type { ItemReference } from './catalogue-content.js'
import { identifierKey } from './merge-identifiers.js'

export interface ReferableItem {
  id: string
  type: ItemRow['type']
  identifiers: readonly ItemReference[]
}

/**
 * Finds an item by its name in a sheet; undefined if there is none, or if a value without a system
 * is ambiguous.
 */
export type FindItem = (name: ItemReference) => ReferableItem | undefined

/** Items by the names in a sheet: their ids, and their identifiers with and without the system. */
export type ItemIndex = ReadonlyMap<string, ReferableItem | 'several'>

export async function indexItems(items: readonly ReferableItem[]): Promise<ItemIndex> {
  const index = new Map<string, ReferableItem | 'several'>()
  await forEachYielding(items, (item) => {
    index.set(item.id, item)
    for (const { system, value } of item.identifiers)
      for (const key of [identifierKey({ system, value }), identifierKey({ system: null, value })]) {
        const other = index.get(key)
        index.set(key, other && (other === 'several' || other.id !== item.id) ? 'several' : item)
      }
  })
  return index
}

/**
 * Finds items in the first of these indexes that has the name.
 * @param idOf the id in the URL of an item.
 */
export const itemFinder =
  (idOf: (url: string) => string | undefined, ...indexes: ItemIndex[]): FindItem =>
  (name) => {
    const key = (name.system ? undefined : idOf(name.value)) ?? identifierKey(name)
    const found = indexes.map((index) => index.get(key)).find((each) => each !== undefined)
    return found === 'several' ? undefined : found
  }
