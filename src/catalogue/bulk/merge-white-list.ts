import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { resolvePartiesByName } from '../../agreement/party-names.js'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Queryable } from '../../db/driver/database.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { authorizeAs } from '../../platform/auth/access.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { catalogueProblem } from '../problems.js'
import { type CatalogueRow, catalogueItems, whiteListEntries } from '../tables.js'
import { whiteListAccess } from '../white-list/white-list.access.js'
import type { CatalogueContent } from './catalogue-content.js'
import type { Plan } from './plan-items.js'

/** A valid buyer of an entry, with the index of the entry in the content. */
export interface CheckedBuyer {
  index: number
  buyerId: string
}

/** An entry to create, with its index in the content. */
export interface NewWhiteListEntry {
  index: number
  values: { buyerId: string; itemId: string }
}

/** Validates the buyers of white list entries, which the caller's organization administers. */
export async function validateWhiteList(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  { whiteList }: CatalogueContent
): Promise<CheckedBuyer[]> {
  const named = whiteList.flatMap(({ buyer }, index) => (buyer === undefined ? [] : [{ buyer, index }]))
  if (named.length === 0) return []
  const found = await resolvePartiesByName(
    ports,
    authorizeAs(call, whiteListAccess.create),
    errors,
    named.map(({ buyer, index }) => ({
      pointer: `/whiteList/${index}/buyer`,
      text: buyer,
      role: 'BUYER',
      scope: 'administered'
    }))
  )
  return named.flatMap(({ index }, at) => {
    const buyer = found[at]
    return buyer ? [{ index, buyerId: buyer.id }] : []
  })
}

/** The entries that do not exist yet. */
export async function newWhiteListEntries(
  { tx, call }: UnitOfWork,
  errors: FieldErrors,
  { whiteList }: CatalogueContent,
  before: CatalogueRow | undefined,
  { find }: Plan,
  checked: readonly CheckedBuyer[]
): Promise<NewWhiteListEntry[]> {
  const existing = new Set(
    before && checked.length > 0 ? (await loadWhiteList(tx, before.id, call)).map(entryKey) : []
  )
  const items = await mapYielding(whiteList, ({ item }, at) => {
    const found = item && find(item)
    if (item && !found)
      errors.addUnresolvedReference(
        `/whiteList/${at}/item`,
        'It must be the identifier of exactly one item of this catalogue.'
      )
    return found
  })
  const sent = new Set<string>()
  return checked.flatMap(({ index, buyerId }) => {
    const item = items[index]
    if (!item) return []
    const values = { buyerId, itemId: item.id }
    const key = entryKey(values)
    if (sent.has(key))
      errors.add(
        catalogueProblem,
        'duplicate-entry',
        `/whiteList/${index}/item`,
        'A row above has the same item and buyer. Remove one of them.'
      )
    sent.add(key)
    return existing.has(key) ? [] : [{ index, values }]
  })
}

const entryKey = ({ buyerId, itemId }: NewWhiteListEntry['values']) => `${buyerId} ${itemId}`

/**
 * Entries by buyers that the caller's organization administers for items of a catalogue, in order
 * of creation.
 */
export const loadWhiteList = (db: Queryable, catalogueId: string, call: Call) =>
  db
    .select(getTableColumns(whiteListEntries))
    .from(whiteListEntries)
    .innerJoin(catalogueItems, eq(catalogueItems.id, whiteListEntries.itemId))
    .where(
      and(
        eq(catalogueItems.catalogueId, catalogueId),
        sql`${whiteListEntries.buyerId} in ${administeredPartyIds(db, call)}`
      )
    )
    .orderBy(whiteListEntries.id)
