import { newId } from '../db/work.js'
import type { Faults } from '../platform/problem.js'
import { asInSheet, type ContentItem, type ItemName } from './exchange.content.js'
import type { ItemRow } from './item.store.js'
import { catalogueProblem } from './problems.js'

/** An item of the content, the id that it has or gets, and how it is now; undefined where it is new. */
export interface Matched {
  item: ContentItem
  id: string
  before: ItemRow | undefined
}

const keyOf = ({ system, value }: ItemName) => JSON.stringify([asInSheet(system), asInSheet(value)])

/**
 * Finds for each item of the content the one that is there, by its identifiers. An item without any is found only by being the same
 * in everything, and is otherwise new in a new catalogue alone: whether it is another one or a changed one nobody can tell.
 */
export function matchItems(
  faults: Faults,
  items: readonly ContentItem[],
  there: readonly ItemRow[],
  isNew: boolean
): Matched[] {
  const byIdentifier = new Map(
    there.flatMap((row) => row.identifiers.map((each) => [keyOf(each), row] as const))
  )
  const nameless = there.filter((row) => row.identifiers.length === 0)
  const taken = new Map<string, number>()
  const matched = new Set<string>()

  const withIdentifiers = (item: ContentItem, at: number): ItemRow | undefined => {
    const found = new Set(item.identifiers.flatMap((each) => byIdentifier.get(keyOf(each)) ?? []))
    if (found.size > 1)
      faults.add(
        catalogueProblem,
        'ambiguous-identifiers',
        `/items/${at}/identifiers/0`,
        'Its identifiers belong to different items of the catalogue.'
      )
    for (const [nth, each] of item.identifiers.entries()) {
      const other = taken.get(keyOf(each))
      if (other !== undefined)
        faults.add(
          catalogueProblem,
          'duplicate-identifier',
          `/items/${at}/identifiers/${nth}`,
          'It must be unique within the catalogue.'
        )
      taken.set(keyOf(each), at)
    }
    const [first] = found
    if (first && matched.has(first.id))
      faults.add(
        catalogueProblem,
        'ambiguous-identifiers',
        `/items/${at}/identifiers/0`,
        'A row above is the same item, by another of its identifiers.'
      )
    if (first) matched.add(first.id)
    return first
  }

  const withoutIdentifiers = (item: ContentItem, at: number): ItemRow | undefined => {
    const same = nameless.findIndex((row) => hasSameTexts(row, item))
    if (same >= 0) return nameless.splice(same, 1)[0]
    if (!isNew)
      faults.add(
        catalogueProblem,
        'identifier-required',
        `/items/${at}/identifiers/0`,
        'Give it an identifier: without one nobody can tell a new item from a changed one.'
      )
    return undefined
  }

  return items.map((item, at) => {
    const before = item.identifiers.length > 0 ? withIdentifiers(item, at) : withoutIdentifiers(item, at)
    if (before && before.type !== item.type)
      faults.add(catalogueProblem, 'fixed-type', `/items/${at}`, `It is a ${before.type}, and must stay one.`)
    return { item, id: before?.id ?? newId(), before }
  })
}

const textMembers = [
  'type',
  'name',
  'description',
  'status',
  'manufacturer',
  'model',
  'version',
  'serviceType'
] as const

const hasSameTexts = (row: ItemRow, item: ContentItem) =>
  textMembers.every((member) => asInSheet(row[member]) === asInSheet(item[member]))

/** An item that can be referred to. */
export interface Named {
  id: string
  type: ItemRow['type']
  identifiers: readonly ItemName[]
}

/**
 * Finds items by what a sheet calls them. Where several groups are given, an earlier one is looked through before a later one.
 * @returns undefined where there is none, or where several go by a value without a system
 */
export function itemFinder(groups: readonly (readonly Named[])[], idOf: (url: string) => string | undefined) {
  const indexes = groups.map((named) => {
    const byName = new Map<string, Named | 'several'>()
    for (const each of named)
      for (const { system, value } of each.identifiers) {
        for (const key of [keyOf({ system, value }), keyOf({ system: null, value })]) {
          const other = byName.get(key)
          byName.set(key, other && other !== each ? 'several' : each)
        }
      }
    return { byName, byId: new Map(named.map((each) => [each.id, each])) }
  })
  return (name: ItemName): Named | undefined => {
    const id = name.system ? undefined : idOf(name.value)
    for (const { byName, byId } of indexes) {
      const found = id === undefined ? byName.get(keyOf(name)) : byId.get(id)
      if (found) return found === 'several' ? undefined : found
    }
    return undefined
  }
}
