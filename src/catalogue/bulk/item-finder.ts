import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { ItemRow } from '../item/item.store.js'
import type { ItemName } from './catalogue-content.js'
import { keyOf } from './merge-identifiers.js'

/** An item that can be referred to. */
export interface Named {
  id: string
  type: ItemRow['type']
  identifiers: readonly ItemName[]
}

/** Finds an item by what a sheet calls it; undefined where there is none, or where several go by a value without a system. */
export type FindItem = (name: ItemName) => Named | undefined

/**
 * Where several groups are given, an earlier one is looked through before a later one.
 * @param asked the names that will be looked for: others are not indexed, which would take much memory.
 */
export async function itemFinder(
  groups: readonly Iterable<Named>[],
  asked: Iterable<ItemName>,
  idOf: (url: string) => string | undefined
): Promise<FindItem> {
  const idIn = ({ system, value }: ItemName) => (system ? undefined : idOf(value))
  const ids = new Set<string>()
  const keys = new Set<string>()
  await forEachYielding(asked, (name) => {
    const id = idIn(name)
    if (id === undefined) keys.add(keyOf(name))
    else ids.add(id)
  })
  const indexes = await Promise.all(groups.map((group) => indexOf(group, keys, ids)))
  return (name) => {
    const id = idIn(name)
    for (const { byName, byId } of indexes) {
      const found = id === undefined ? byName.get(keyOf(name)) : byId.get(id)
      if (found) return found === 'several' ? undefined : found
    }
    return undefined
  }
}

async function indexOf(named: Iterable<Named>, keys: ReadonlySet<string>, ids: ReadonlySet<string>) {
  const byName = new Map<string, Named | 'several'>()
  const byId = new Map<string, Named>()
  const isAsked = keys.size > 0 || ids.size > 0
  await forEachYielding(isAsked ? named : [], (each) => {
    if (ids.has(each.id)) byId.set(each.id, each)
    for (const { system, value } of keys.size > 0 ? each.identifiers : [])
      for (const key of [keyOf({ system, value }), keyOf({ system: null, value })]) {
        if (!keys.has(key)) continue
        const other = byName.get(key)
        byName.set(key, other && (other === 'several' || other.id !== each.id) ? 'several' : each)
      }
  })
  return { byName, byId }
}
