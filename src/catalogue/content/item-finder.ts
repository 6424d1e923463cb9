import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { ItemRow } from '../tables.js'
import type { ItemReference } from './catalogue-content.js'
import { identifierKey } from './merge-identifiers.js'

/** An item that can be referred to. */
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

/** Items by their names. */
export type ItemIndex = (name: ItemReference) => ReferableItem | 'several' | undefined

/** Finds items in the first of these indexes that has the name. */
export const findInFirst =
  (...indexes: ItemIndex[]): FindItem =>
  (name) => {
    const found = indexes.map((index) => index(name)).find((each) => each !== undefined)
    return found === 'several' ? undefined : found
  }

/**
 * Returns a function that indexes items.
 * @param wanted the names that will be looked up. Others are not indexed, to save memory.
 * @param idOf the id in the URL of an item.
 */
export async function itemIndexer(
  wanted: Iterable<ItemReference>,
  idOf: (url: string) => string | undefined
): Promise<(items: Iterable<ReferableItem>) => Promise<ItemIndex>> {
  const idIn = ({ system, value }: ItemReference) => (system ? undefined : idOf(value))
  const ids = new Set<string>()
  const keys = new Set<string>()
  await forEachYielding(wanted, (name) => {
    const id = idIn(name)
    if (id === undefined) keys.add(identifierKey(name))
    else ids.add(id)
  })
  return async (items) => {
    const byName = new Map<string, ReferableItem | 'several'>()
    const byId = new Map<string, ReferableItem>()
    await forEachYielding(keys.size + ids.size > 0 ? items : [], (each) => {
      if (ids.has(each.id)) byId.set(each.id, each)
      for (const { system, value } of keys.size > 0 ? each.identifiers : [])
        for (const key of [identifierKey({ system, value }), identifierKey({ system: null, value })]) {
          if (!keys.has(key)) continue
          const other = byName.get(key)
          byName.set(key, other && (other === 'several' || other.id !== each.id) ? 'several' : each)
        }
    })
    return (name) => {
      const id = idIn(name)
      return id === undefined ? byName.get(identifierKey(name)) : byId.get(id)
    }
  }
}
