import { isDeepStrictEqual } from 'node:util'
import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { type ItemFieldColumn, itemColumns } from '../item/item.fields.js'
import { catalogueProblem } from '../problems.js'
import { type ContentItem, type ItemReference, preferStoredText } from './catalogue-content.js'
import type { StoredItem } from './content.queries.js'
import { type FindItem, indexItems, itemFinder, type ReferableItem } from './item-finder.js'
import { type MatchedItem, matchItems } from './match-items.js'
import { identifierKey, mergeIdentifiers, validateIdentifiers } from './merge-identifiers.js'

/** The stored state to compare with. The catalogue is locked. */
export interface StoredCatalogueState {
  /** Undefined for a new catalogue. */
  items: readonly StoredItem[] | undefined
  /**
   * Items in other catalogues of the seller that may be referred to. Undefined if the seller is
   * unknown. An unknown seller is an error already, so relations to other items are not checked.
   */
  otherItems: readonly ReferableItem[] | undefined
}

export interface Plan {
  created: PlannedItem[]
  changed: PlannedItem[]
  unchanged: number
  /** Finds an item of the catalogue as it will be after the import. */
  find: FindItem
  /** Whether a name is an identifier that is reported as a duplicate: it names no single item. */
  isDuplicate: (name: ItemReference) => boolean
}

/** A row to write, and the stored row. */
export interface PlannedItem {
  index: number
  row: StoredItem
  before: StoredItem | undefined
}

/**
 * Decides which items are created, changed and unchanged. The plan must not be used if it adds
 * errors.
 * @param idOf the id in the URL of an item.
 */
export async function planItems(
  errors: FieldErrors,
  items: readonly ContentItem[],
  { items: stored, otherItems }: StoredCatalogueState,
  { catalogueId, at, idOf }: { catalogueId: string; at: Date; idOf: (url: string) => string | undefined }
): Promise<Plan> {
  const others = await indexItems(otherItems ?? [])
  const existing = stored && { items: stored, find: itemFinder(idOf, await indexItems(stored), others) }
  const duplicates = new Set<string>()
  const isDuplicate = (name: ItemReference) => duplicates.has(identifierKey(name))
  const matched = await matchItems(errors, items, existing, duplicates)
  const resulting = await indexItems(itemsAfter(matched, stored ?? []))
  const find = itemFinder(idOf, resulting, others)
  const plan: Plan = {
    created: [],
    changed: [],
    unchanged: 0,
    find: itemFinder(idOf, resulting),
    isDuplicate
  }
  await forEachYielding(matched, (each, index) => {
    const { item, before } = each
    const pointer = `/items/${index}`
    validateTexts(errors, each, pointer)
    validateIdentifiers(errors, before?.identifiers, item.identifiers, pointer)
    const related = item.relatedTo ? find(item.relatedTo) : undefined
    if (item.relatedTo && (related || (otherItems && !isDuplicate(item.relatedTo))))
      validateRelation(errors, related, pointer)
    const kept = item.omitted.includes('relatedTo') ? before?.relatedToId : null
    const row = rowOf(each, { catalogueId, relatedToId: related?.id ?? kept ?? null, at })
    if (!before) plan.created.push({ index, row, before })
    else if (isDeepStrictEqual(before, row)) plan.unchanged++
    else plan.changed.push({ index, row, before })
  })
  return plan
}

function itemsAfter(matched: readonly MatchedItem[], stored: readonly StoredItem[]): ReferableItem[] {
  const listed = new Set(matched.map(({ id }) => id))
  return [
    ...matched.map(({ id, item: { type, identifiers } }) => ({ id, type, identifiers })),
    ...stored.filter(({ id }) => !listed.has(id))
  ]
}

/** A required text may be empty only if the stored text is empty. */
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

function validateRelation(errors: FieldErrors, found: ReferableItem | undefined, pointer: string): void {
  const at = `${pointer}/relatedTo`
  if (!found) errors.add(catalogueProblem('dangling-reference.rowDevice', at))
  else if (found.type !== 'DeviceModel') errors.add(catalogueProblem('unrelated-item.notDevice', at))
}

function rowOf(
  { item, id, before }: MatchedItem,
  { catalogueId, relatedToId, at }: { catalogueId: string; relatedToId: string | null; at: Date }
): StoredItem {
  const identifiers = mergeIdentifiers(before?.identifiers, item.identifiers)
  const kept = (member: 'name' | 'manufacturer' | 'model' | ItemFieldColumn) =>
    preferStoredText(before?.[member], item[member])
  const [name, manufacturer, model] = [kept('name') ?? '', kept('manufacturer'), kept('model')]
  return {
    id,
    catalogueId,
    type: item.type,
    identifiers,
    name,
    status: item.status,
    manufacturer,
    model,
    ...itemColumns(kept),
    relatedToId,
    serviceType: item.serviceType,
    eventCount: before?.eventCount ?? 0,
    createdAt: before?.createdAt ?? at,
    withdrawnAt: null
  }
}
