import { and, asc, eq, gt } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference } from '../../filters/kinds.js'
import {
  emptyPage,
  inOrderOf,
  type Page,
  type PageRequest,
  serializedPage
} from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { toWhiteListEntry } from '../serializers.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListEntry } from './white-list.schemas.js'
import { whiteListEntryNotFound } from './white-list.store.js'

/** The filters of the list of white list entries. */
export const whiteListFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', whiteListEntries.buyerId),
  byReference('item', itemResource, 'URL of the catalogue item.', whiteListEntries.itemId)
)
export type WhiteListFilters = Given<typeof whiteListFilters>

/**
 * Reads a white list entry.
 * @throws Problem `not-found`.
 */
export async function viewWhiteListEntry(ports: Ports, id: string): Promise<Versioned<WhiteListEntry>> {
  const [row] = await ports.db.select().from(whiteListEntries).where(eq(whiteListEntries.id, id))
  if (!row) throw whiteListEntryNotFound()
  return new Versioned(toWhiteListEntry(ports, row), revisionOf(row))
}

/**
 * Reads white list entries in the order of their ids.
 * @throws Problem `not-found` when one does not exist.
 */
export async function viewWhiteListEntries(ports: Ports, ids: readonly string[]): Promise<WhiteListEntry[]> {
  const rows = await ports.db.select().from(whiteListEntries).where(inIds(whiteListEntries.id, ids))
  return inOrderOf(ids, rows, whiteListEntryNotFound).map((row) => toWhiteListEntry(ports, row))
}

/** Lists a page of white list entries, in order of creation. */
export async function listWhiteListEntries(
  ports: Ports,
  filters: WhiteListFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const given = whiteListFilters.parse(ports, filters)
  if (!given) return emptyPage
  const rows = await ports.db
    .select()
    .from(whiteListEntries)
    .where(and(whiteListFilters.where(given), after ? gt(whiteListEntries.id, after) : undefined))
    .orderBy(asc(whiteListEntries.id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    ({ id }) => id,
    (row) => JSON.stringify(toWhiteListEntry(ports, row))
  )
}
