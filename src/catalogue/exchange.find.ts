import { mapInTurns } from '../platform/in-turns.js'
import type { ItemName } from './exchange.content.js'
import { keyOf } from './exchange.identifiers.js'
import type { ItemRow } from './item.store.js'

/** An item that can be referred to. */
export interface Named {
  id: string
  type: ItemRow['type']
  identifiers: readonly ItemName[]
}

/** Finds an item by what a sheet calls it; undefined where there is none, or where several go by a value without a system. */
export type FindItem = (name: ItemName) => Named | undefined

/** Where several groups are given, an earlier one is looked through before a later one. */
export async function itemFinder(
  groups: readonly (readonly Named[])[],
  idOf: (url: string) => string | undefined
): Promise<FindItem> {
  const indexes = await Promise.all(groups.map(indexOf))
  return (name) => {
    const id = name.system ? undefined : idOf(name.value)
    for (const { byName, byId } of indexes) {
      const found = id === undefined ? byName.get(keyOf(name)) : byId.get(id)
      if (found) return found === 'several' ? undefined : found
    }
    return undefined
  }
}

async function indexOf(named: readonly Named[]) {
  const byName = new Map<string, Named | 'several'>()
  const byId = new Map<string, Named>()
  await mapInTurns(named, (each) => {
    byId.set(each.id, each)
    for (const { system, value } of each.identifiers)
      for (const key of [keyOf({ system, value }), keyOf({ system: null, value })]) {
        const other = byName.get(key)
        byName.set(key, other && other !== each ? 'several' : each)
      }
  })
  return { byName, byId }
}
