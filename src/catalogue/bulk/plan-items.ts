import { isDeepStrictEqual } from 'node:util'
import { forEachYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { printableText } from '../../platform/util/printable-text.js'
import { searchText } from '../../platform/util/search-text.js'
import type { ItemRow } from '../item/item.store.js'
import { catalogueProblem } from '../problems.js'
import type { StoredItem } from './bulk.store.js'
import { type CatalogueContent, type ContentItem, keepIfEqual } from './catalogue-content.js'
import { type FindItem, itemFinder, type Named } from './item-finder.js'
import { type Matched, matchItems } from './match-items.js'
import { assertWholeIdentifiers, identifiersAfter } from './merge-identifiers.js'

/** What there is while a catalogue is compared with its content; nobody else changes it meanwhile. */
export interface Existing {
  /** Undefined for a catalogue that is to be made. */
  catalogueId: string | undefined
  items: readonly StoredItem[]
  /** Items in other catalogues of the seller that may be referred to; undefined where nobody knows which seller is meant. */
  elsewhere: readonly Named[] | undefined
}

export interface Plan {
  created: PlannedItem[]
  changed: PlannedItem[]
  unchanged: number
  /** The row of an item that is created or changed; made when it is written, so that not all of them are in memory. */
  rowOf: (planned: PlannedItem) => ItemRow
  /** Finds an item of the catalogue as it will be. */
  find: FindItem
}

/** An item, and what it relates to. */
interface PlannedItem {
  matched: Matched
  relatedToId: string | null
}

/**
 * Decides what becomes of the items: which are new, which change, which stay. What is wrong becomes a fault, and then the plan is of
 * no use.
 * @param idOf the id in the URL of an item.
 */
export async function planItems(
  faults: FieldErrors,
  { items, annotations }: Pick<CatalogueContent, 'items' | 'annotations'>,
  existing: Existing,
  { catalogueId, at, idOf }: { catalogueId: string; at: Date; idOf: (url: string) => string | undefined }
): Promise<Plan> {
  const elsewhere = existing.elsewhere ?? []
  const related = items.flatMap(({ relatedTo }) => relatedTo ?? [])
  const annotated = annotations.flatMap(({ item }) => item ?? [])
  const there = { items: existing.items, find: await itemFinder([existing.items, elsewhere], related, idOf) }
  const matched = await matchItems(faults, items, existing.catalogueId === undefined ? undefined : there)
  const listed = new Set(matched.map(({ id }) => id))
  const here: Iterable<Named> = { [Symbol.iterator]: () => afterwards(matched, existing.items, listed) }
  const find = await itemFinder([here, elsewhere], related, idOf)
  const plan: Plan = {
    ...{ created: [], changed: [], unchanged: 0 },
    find: await itemFinder([here], annotated, idOf),
    rowOf: ({ matched, relatedToId }) => rowOf(matched, { catalogueId, relatedToId, at })
  }
  await forEachYielding(matched, (each, nth) => {
    const pointer = `/items/${nth}`
    assertComplete(faults, each, pointer)
    assertWholeIdentifiers(faults, each.before?.identifiers, each.item.identifiers, pointer)
    const related = each.item.relatedTo && find(each.item.relatedTo)
    if (related || existing.elsewhere) assertRelated(faults, each.item, related, pointer)
    const isUntold = each.item.untold.includes('relatedTo')
    const relatedToId = related?.id ?? (isUntold ? each.before?.relatedToId : null) ?? null
    const planned = { matched: each, relatedToId }
    if (!each.before) plan.created.push(planned)
    else if (isSame(each.before, plan.rowOf(planned))) plan.unchanged++
    else plan.changed.push(planned)
  })
  return plan
}

/** The items of the catalogue as it will be. */
function* afterwards(
  matched: readonly Matched[],
  existing: readonly StoredItem[],
  listed: ReadonlySet<string>
): Generator<Named> {
  for (const { id, item } of matched) yield { id, type: item.type, identifiers: item.identifiers }
  for (const item of existing) if (!listed.has(item.id)) yield item
}

/** A text that must be there may be empty only where it is so already. */
function assertComplete(faults: FieldErrors, { item, before }: Matched, pointer: string): void {
  const members =
    item.type === 'DeviceModel' ? (['name', 'manufacturer', 'model'] as const) : (['name'] as const)
  for (const member of members)
    if (printableText(item[member]) === '' && (!before || printableText(before[member]) !== ''))
      faults.add(catalogueProblem, 'text-required', `${pointer}/${member}`, 'Fill it in.')
}

function assertRelated(
  faults: FieldErrors,
  { relatedTo }: ContentItem,
  found: Named | null | undefined,
  pointer: string
): void {
  if (!relatedTo) return
  if (!found)
    faults.addUnresolvedReference(
      `${pointer}/relatedTo`,
      relatedTo.system === null
        ? 'It must be the identifier of one device model of the same seller; tell the system as well where several have it.'
        : 'It must be the identifier of a device model of the same seller.'
    )
  else if (found.type !== 'DeviceModel')
    faults.add(
      catalogueProblem,
      'unrelated-item',
      `${pointer}/relatedTo`,
      'It must be a device model, not a service.'
    )
}

function rowOf(
  { item, id, before }: Matched,
  { catalogueId, relatedToId, at }: { catalogueId: string; relatedToId: string | null; at: Date }
): ItemRow {
  const identifiers = identifiersAfter(before?.identifiers, item.identifiers)
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
    description: keepIfEqual(before?.description, item.description),
    status: item.status,
    manufacturer,
    model,
    version: keepIfEqual(before?.version, item.version),
    relatedToId,
    serviceType: item.serviceType,
    searchText: searchText(name, model, manufacturer, ...identifiers.map((each) => each.value)),
    createdAt: before?.createdAt ?? at
  }
}

/** What is searched through follows from the rest. */
const isSame = (before: StoredItem, after: ItemRow) =>
  isDeepStrictEqual({ ...before, searchText: after.searchText }, after)
