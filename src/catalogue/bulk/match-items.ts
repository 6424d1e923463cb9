import { createHash } from 'node:crypto'
import { newId } from '../../db/unit-of-work.js'
import { forEachYielding, mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { printableText } from '../../platform/util/printable-text.js'
import { catalogueProblem } from '../problems.js'
import type { StoredItem } from './bulk.store.js'
import type { ContentItem } from './catalogue-content.js'
import type { FindItem } from './item-finder.js'
import { identifiersForm, keyOf, nonEmpty, SEPARATOR, withFurther } from './merge-identifiers.js'

/** An item of the content, the id that it has or gets, and how it is now; undefined where it is new. */
export interface Matched {
  item: ContentItem
  id: string
  before: StoredItem | undefined
}

/** The items of a catalogue that is there; undefined for one that is to be made. */
export interface There {
  items: readonly StoredItem[]
  /** Finds what an item relates to. */
  find: FindItem
}

/**
 * Finds for each item of the content the one that is there: the one that is the same in everything, else the one that has its
 * identifiers. An item without any is otherwise new in a new catalogue alone: whether it is another one or a changed one nobody can
 * tell.
 */
export async function matchItems(
  faults: FieldErrors,
  items: readonly ContentItem[],
  there: There | undefined
): Promise<Matched[]> {
  const same = await sameItems(items, there)
  // Where all items are the same nothing is looked up: an index of all identifiers takes much memory.
  const indexed = same.size === items.length ? [] : (there?.items ?? [])
  const byIdentifiers = await identifierMatcher(faults, indexed, new Set(same.values()))
  const withoutIdentifiers = (at: number): undefined => {
    if (there)
      faults.add(
        catalogueProblem,
        'identifier-required',
        `/items/${at}/identifiers/0`,
        'Give it an identifier: without one nobody can tell a new item from a changed one.'
      )
  }
  return mapYielding(items, (item, at) => {
    const before =
      same.get(at) ?? (item.identifiers.length > 0 ? byIdentifiers(item, at) : withoutIdentifiers(at))
    if (before && before.type !== item.type)
      faults.add(
        catalogueProblem,
        'fixed-type',
        `/items/${at}/identifiers/0`,
        `It is a ${before.type}, and must stay one.`
      )
    return { item: before ? withUntold(item, before) : item, id: before?.id ?? newId(), before }
  })
}

/** An item as it is meant, where a sheet says nothing of some of its members. */
function withUntold(item: ContentItem, before: StoredItem): ContentItem {
  if (item.untold.length === 0 && before.identifiers.length <= item.identifierRoom) return item
  const isUntold = (member: ContentItem['untold'][number]) => item.untold.includes(member)
  return {
    ...item,
    ...(isUntold('description') ? { description: before.description } : {}),
    ...(isUntold('version') ? { version: before.version } : {}),
    ...(isUntold('status') ? { status: before.status } : {}),
    identifiers: withFurther(before.identifiers, item.identifiers, item.identifierRoom)
  }
}

/** The items that are there as they were sent, by their numbers in the content; of several that are alike each counts once. */
async function sameItems(
  items: readonly ContentItem[],
  there: There | undefined
): Promise<Map<number, StoredItem>> {
  const byForm = new Map<string, StoredItem[]>()
  const same = new Map<number, StoredItem>()
  if (!there) return same
  await forEachYielding(there.items, (row) => {
    const form = formOf(row, row.relatedToId)
    const alike = byForm.get(form)
    if (alike) alike.push(row)
    else byForm.set(form, [row])
  })
  await forEachYielding(items, (item, at) => {
    const related = item.relatedTo && (there.find(item.relatedTo)?.id ?? 'unknown')
    const row = byForm.get(formOf(item, related))?.shift()
    if (row) same.set(at, row)
  })
  return same
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

/** Stands for all that a sheet tells of an item; a digest, since there is one for each item at the same time. */
const formOf = (item: ContentItem | StoredItem, relatedToId: string | null): string => {
  const texts = textMembers.map((member) => printableText(item[member]))
  const form = [relatedToId ?? '', ...texts, identifiersForm(item.identifiers)].join(SEPARATOR)
  return createHash('sha256').update(form).digest('base64')
}

/** Finds items by their identifiers; those that are taken are found no more. */
async function identifierMatcher(
  faults: FieldErrors,
  there: readonly StoredItem[],
  taken: ReadonlySet<StoredItem>
) {
  const index = new Map<string, StoredItem>()
  const sent = new Set<string>()
  await forEachYielding(there, (row) => {
    for (const each of nonEmpty(row.identifiers))
      if (taken.has(row)) sent.add(keyOf(each))
      else index.set(keyOf(each), row)
  })
  const found = new Set<StoredItem>()
  return (item: ContentItem, at: number): StoredItem | undefined => {
    const fault = (code: 'ambiguous-identifiers' | 'duplicate-identifier', nth: number, detail: string) =>
      faults.add(catalogueProblem, code, `/items/${at}/identifiers/${nth}`, detail)
    for (const [nth, each] of item.identifiers.entries()) {
      if (each.value !== '' && sent.has(keyOf(each)))
        fault('duplicate-identifier', nth, 'It must be unique within the catalogue.')
      sent.add(keyOf(each))
    }
    const [row, second] = new Set(item.identifiers.flatMap((each) => index.get(keyOf(each)) ?? []))
    if (second)
      fault('ambiguous-identifiers', 0, 'Its identifiers belong to different items of the catalogue.')
    else if (row && found.has(row))
      fault('duplicate-identifier', 0, 'A row above is the same item, by another of its identifiers.')
    if (row) found.add(row)
    return row
  }
}
