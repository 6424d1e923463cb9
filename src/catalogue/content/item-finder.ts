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

/**
 * Indexes groups of items. An earlier group takes precedence over a later one.
 * @param wanted the names that will be looked up. Others are not indexed, to save memory.
 * @param idOf the id in the URL of an item.
 */
export async function createItemFinder(
  groups: readonly Iterable<ReferableItem>[],
  wanted: Iterable<ItemReference>,
  idOf: (url: string) => string | undefined
): Promise<FindItem> {
  const idIn = ({ system, value }: ItemReference) => (system ? undefined : idOf(value))
  const ids = new Set<string>()
  const keys = new Set<string>()
  await forEachYielding(wanted, (name) => {
    const id = idIn(name)
    if (id === undefined) keys.add(identifierKey(name))
    else ids.add(id)
  })
  const indexes = await Promise.all(groups.map((group) => indexOf(group, keys, ids)))
  return (name) => {
    const id = idIn(name)
    for (const { byName, byId } of indexes) {
      const found = id === undefined ? byName.get(identifierKey(name)) : byId.get(id)
      if (found) return found === 'several' ? undefined : found
    }
    return undefined
  }
}

async function indexOf(named: Iterable<ReferableItem>, keys: ReadonlySet<string>, ids: ReadonlySet<string>) {
  const byName = new Map<string, ReferableItem | 'several'>()
  const byId = new Map<string, ReferableItem>()
  const isNeeded = keys.size > 0 || ids.size > 0
  await forEachYielding(isNeeded ? named : [], (each) => {
    if (ids.has(each.id)) byId.set(each.id, each)
    for (const { system, value } of keys.size > 0 ? each.identifiers : [])
      for (const key of [identifierKey({ system, value }), identifierKey({ system: null, value })]) {
        if (!keys.has(key)) continue
        const other = byName.get(key)
        byName.set(key, other && (other === 'several' || other.id !== each.id) ? 'several' : each)
      }
  })
  return { byName, byId }
}
