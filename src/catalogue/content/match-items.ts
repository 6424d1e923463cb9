import { newId } from '../../db/unit-of-work.js'
import { forEachYielding, mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { allItemFields, itemColumns } from '../item/item.fields.js'
import { catalogueProblem } from '../problems.js'
import type { ContentItem } from './catalogue-content.js'
import type { StoredItem } from './content.queries.js'
import type { FindItem } from './item-finder.js'
import {
  identifierKey,
  identifiersKey,
  keepHiddenIdentifiers,
  nonEmptyIdentifiers,
  SEPARATOR
} from './merge-identifiers.js'

/**
 * An item of the content with its id, and the stored item that it matches; undefined if it is new.
 */
export interface MatchedItem {
  item: ContentItem
  id: string
  before: StoredItem | undefined
}

interface ExistingItems {
  items: readonly StoredItem[]
  /** Finds the item to which another item relates. */
  find: FindItem
}

/**
 * Matches each item of the content to a stored item: an equal item if there is one, otherwise the
 * item with its identifiers. An item without identifiers that equals no stored item can be new only
 * in a new catalogue. In an existing catalogue it could also be a changed item.
 * @param existing undefined for a new catalogue.
 * @param duplicates collects the keys of identifiers that are reported as duplicates.
 */
export async function matchItems(
  errors: FieldErrors,
  items: readonly ContentItem[],
  existing: ExistingItems | undefined,
  duplicates: Set<string>
): Promise<MatchedItem[]> {
  const same = existing ? await matchEqualItems(items, existing) : new Map<number, StoredItem>()
  const findByIdentifiers = await identifierMatcher(
    errors,
    existing?.items ?? [],
    new Set(same.values()),
    duplicates
  )
  return mapYielding(items, (item, at) => {
    const firstIdentifier = `/items/${at}/identifiers/0`
    const before = same.get(at) ?? findByIdentifiers(item, at)
    if (!before && existing && item.identifiers.length === 0)
      errors.add(catalogueProblem('identifier-required', firstIdentifier))
    if (before && before.type !== item.type) {
      const name = before.type === 'Service' ? 'fixed-type.ofService' : 'fixed-type.ofDevice'
      errors.add(catalogueProblem(name, firstIdentifier))
    }
    return { item: before ? withOmittedMembers(item, before) : item, id: before?.id ?? newId(), before }
  })
}

/** Completes an item with the stored values of members without a column in the sheet. */
function withOmittedMembers(item: ContentItem, before: StoredItem): ContentItem {
  const isOmitted = (member: ContentItem['omitted'][number]) => item.omitted.includes(member)
  return {
    ...item,
    ...itemColumns((column, member) => (isOmitted(member) ? before : item)[column]),
    status: (isOmitted('status') ? before : item).status,
    identifiers: keepHiddenIdentifiers(before.identifiers, item.identifiers, item.identifierColumnCount)
  }
}

/**
 * Stored items that equal an item of the content, by its index there. Each stored item is used
 * once.
 */
async function matchEqualItems(
  items: readonly ContentItem[],
  existing: ExistingItems
): Promise<ReadonlyMap<number, StoredItem>> {
  const stored = new Map<string, StoredItem[]>()
  await forEachYielding(existing.items, (row) => {
    const key = shownContent(row, row.relatedToId)
    const alike = stored.get(key) ?? []
    alike.push(row)
    stored.set(key, alike)
  })
  const same = new Map<number, StoredItem>()
  await forEachYielding(items, (item, at) => {
    const related = item.relatedTo && (existing.find(item.relatedTo)?.id ?? 'unknown')
    const row = stored.get(shownContent(item, related))?.shift()
    if (row) same.set(at, row)
  })
  return same
}

const textMembers = [
  ...(['type', 'name', 'status', 'manufacturer', 'model', 'serviceType'] as const),
  ...Object.values(allItemFields).map(({ column }) => column)
]

/** A key of all members of an item that a sheet shows. */
const shownContent = (item: ContentItem | StoredItem, relatedToId: string | null): string => {
  const texts = textMembers.map((member) => withoutControlCharacters(item[member]))
  return [relatedToId ?? '', ...texts, identifiersKey(item.identifiers)].join(SEPARATOR)
}

/**
 * Returns a function that finds a stored item by the identifiers of a sent item. Items in `taken`
 * are not found.
 */
async function identifierMatcher(
  errors: FieldErrors,
  existing: readonly StoredItem[],
  taken: ReadonlySet<StoredItem>,
  duplicates: Set<string>
) {
  const index = new Map<string, StoredItem[]>()
  const sent = new Set<string>()
  await forEachYielding(existing, (row) => {
    for (const each of nonEmptyIdentifiers(row.identifiers)) {
      const key = identifierKey(each)
      if (taken.has(row)) sent.add(key)
      else index.set(key, [...(index.get(key) ?? []), row])
    }
  })
  const found = new Set<StoredItem>()
  return (item: ContentItem, at: number): StoredItem | undefined => {
    const pointerOf = (nth: number) => `/items/${at}/identifiers/${nth}`
    for (const [nth, each] of item.identifiers.entries()) {
      if (each.value !== '' && sent.has(identifierKey(each))) {
        errors.add(catalogueProblem('duplicate-identifier.inCatalogue', pointerOf(nth)))
        for (const { system } of [each, { system: null }])
          duplicates.add(identifierKey({ system, value: each.value }))
      }
      sent.add(identifierKey(each))
    }
    const [row, second] = new Set(item.identifiers.flatMap((each) => index.get(identifierKey(each)) ?? []))
    // Ambiguous identifiers match no item, because the row could change the wrong item.
    if (second) errors.add(catalogueProblem('ambiguous-identifiers', pointerOf(0)))
    else if (row && found.has(row))
      errors.add(catalogueProblem('duplicate-identifier.sameItem', pointerOf(0)))
    if (row) found.add(row)
    return row
  }
}
