import { isDeepStrictEqual } from 'node:util'
import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { searchText } from '../../platform/util/search-text.js'
import { withoutControlCharacters } from '../../platform/util/without-control-characters.js'
import { itemColumns } from '../item/item.fields.js'
import { catalogueProblem } from '../problems.js'
import type { ItemRow } from '../tables.js'
import type { StoredItem } from './bulk.store.js'
import { type CatalogueContent, type ItemReference, keepIfEqual } from './catalogue-content.js'
import { type FindItem, findInFirst, itemIndexer, type ReferableItem } from './item-finder.js'
import { type MatchedItem, matchItems } from './match-items.js'
import { mergeIdentifiers, validateIdentifiers } from './merge-identifiers.js'

/** The stored state to compare with. The catalogue is locked. */
export interface StoredState {
  /** Undefined for a new catalogue. */
  catalogueId: string | undefined
  items: readonly StoredItem[]
  /**
   * Items in other catalogues of the seller that may be referred to. Undefined if the seller is
   * unknown, which is an error: then relations to them are not checked.
   */
  otherItems: readonly ReferableItem[] | undefined
}

export interface Plan {
  created: PlannedItem[]
  changed: PlannedItem[]
  unchanged: number
  /** Builds the row of a created or changed item. Called when it is written, to save memory. */
  rowOf: (planned: PlannedItem) => ItemRow
  /** Finds an item of the catalogue as it will be after the import. */
  find: FindItem
}

/** An item and the id of the item that it relates to. */
export interface PlannedItem {
  /** Its index in the content. */
  index: number
  matched: MatchedItem
  relatedToId: string | null
}

/**
 * Decides which items are created, changed and unchanged. The plan must not be used if it adds
 * errors.
 * @param idOf the id in the URL of an item.
 */
export async function planItems(
  errors: FieldErrors,
  { items, annotations, whiteList }: Pick<CatalogueContent, 'items' | 'annotations' | 'whiteList'>,
  existing: StoredState,
  { catalogueId, at, idOf }: { catalogueId: string; at: Date; idOf: (url: string) => string | undefined }
): Promise<Plan> {
  const { otherItems } = existing
  const related = items.flatMap(({ relatedTo }) => relatedTo ?? [])
  const named = [...annotations, ...whiteList].flatMap(({ item }) => item ?? [])
  const index = await itemIndexer([...related, ...named], idOf)
  const others = await index(otherItems ?? [])
  const stored = { items: existing.items, find: findInFirst(await index(existing.items), others) }
  const matched = await matchItems(errors, items, existing.catalogueId === undefined ? undefined : stored)
  const resulting = await index(itemsAfter(matched, existing.items))
  const find = findInFirst(resulting, others)
  const plan: Plan = {
    created: [],
    changed: [],
    unchanged: 0,
    find: findInFirst(resulting),
    rowOf: ({ matched, relatedToId }) => rowOf(matched, { catalogueId, relatedToId, at })
  }
  await forEachYielding(matched, (each, nth) => {
    const pointer = `/items/${nth}`
    validateTexts(errors, each, pointer)
    validateIdentifiers(errors, each.before?.identifiers, each.item.identifiers, pointer)
    const { relatedTo } = each.item
    const related = relatedTo ? find(relatedTo) : undefined
    if (relatedTo && (related || otherItems)) validateRelation(errors, relatedTo, related, pointer)
    const isOmitted = each.item.omitted.includes('relatedTo')
    const relatedToId = related?.id ?? (isOmitted ? each.before?.relatedToId : null) ?? null
    const planned = { index: nth, matched: each, relatedToId }
    if (!each.before) plan.created.push(planned)
    else if (isUnchanged(each.before, plan.rowOf(planned))) plan.unchanged++
    else plan.changed.push(planned)
  })
  return plan
}

/** The items of the catalogue as it will be after the import. */
function* itemsAfter(
  matched: readonly MatchedItem[],
  existing: readonly StoredItem[]
): Generator<ReferableItem> {
  const listed = new Set(matched.map(({ id }) => id))
  for (const { id, item } of matched) yield { id, type: item.type, identifiers: item.identifiers }
  for (const item of existing) if (!listed.has(item.id)) yield item
}

/** A required text may be empty only if the stored one is. */
function validateTexts(errors: FieldErrors, { item, before }: MatchedItem, pointer: string): void {
  const members =
    item.type === 'DeviceModel' ? (['name', 'manufacturer', 'model'] as const) : (['name'] as const)
  for (const member of members)
    if (
      withoutControlCharacters(item[member]) === '' &&
      (!before || withoutControlCharacters(before[member]) !== '')
    )
      errors.add(catalogueProblem('text-required.ofRow', `${pointer}/${member}`))
}

function validateRelation(
  errors: FieldErrors,
  relatedTo: ItemReference,
  found: ReferableItem | undefined,
  pointer: string
): void {
  const at = `${pointer}/relatedTo`
  if (!found) {
    const name =
      relatedTo.system === null ? 'dangling-reference.rowDeviceByValue' : 'dangling-reference.rowDevice'
    errors.add(catalogueProblem(name, at))
  } else if (found.type !== 'DeviceModel') errors.add(catalogueProblem('unrelated-item.notDevice', at))
}

function rowOf(
  { item, id, before }: MatchedItem,
  { catalogueId, relatedToId, at }: { catalogueId: string; relatedToId: string | null; at: Date }
): ItemRow {
  const identifiers = mergeIdentifiers(before?.identifiers, item.identifiers)
  const name = keepIfEqual(before?.name, item.name) ?? ''
  const isDevice = item.type === 'DeviceModel'
  const manufacturer = isDevice ? (keepIfEqual(before?.manufacturer, item.manufacturer) ?? '') : null
  const model = isDevice ? (keepIfEqual(before?.model, item.model) ?? '') : null
  return {
    id,
    catalogueId,
    type: item.type,
    identifiers,
    name,
    status: item.status,
    manufacturer,
    model,
    ...itemColumns((column) => keepIfEqual(before?.[column], item[column])),
    relatedToId,
    serviceType: item.serviceType,
    searchText: searchText(name, model, manufacturer, ...identifiers.map((each) => each.value)),
    eventCount: before?.eventCount ?? 0,
    createdAt: before?.createdAt ?? at,
    withdrawnAt: null
  }
}

/** Compares rows without the search text, which is derived from the rest. */
const isUnchanged = (before: StoredItem, after: ItemRow) =>
  isDeepStrictEqual({ ...before, searchText: after.searchText }, after)
