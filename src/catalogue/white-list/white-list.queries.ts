import { and, asc, eq, gt } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { emptyPage, type Page, type PageRequest, pageOf } from '../../platform/rest/pagination.js'
import { parseFilterUrls, type ResourceUrls } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListEntry } from './white-list.schemas.js'
import { whiteListEntryNotFound } from './white-list.service.js'

export interface WhiteListFilters {
  buyer?: string
  item?: string
}

/**
 * Reads a white list entry.
 * @throws Problem `not-found`.
 */
export async function viewWhiteListEntry(
  { readDb, resourceUrls }: Ports,
  id: string
): Promise<WhiteListEntry> {
  const [row] = await readDb.select().from(whiteListEntries).where(eq(whiteListEntries.id, id))
  if (!row) throw whiteListEntryNotFound()
  return entryOf(resourceUrls, row)
}

/** Lists a page of white list entries, in order of creation. */
export async function listWhiteListEntries(
  { readDb, resourceUrls }: Ports,
  filters: WhiteListFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const ids = parseFilterUrls(resourceUrls, filters, { buyer: partyResource, item: itemResource })
  if (!ids) return emptyPage
  const rows = await readDb
    .select()
    .from(whiteListEntries)
    .where(
      and(
        ids.buyer ? eq(whiteListEntries.buyerId, ids.buyer) : undefined,
        ids.item ? eq(whiteListEntries.itemId, ids.item) : undefined,
        after ? gt(whiteListEntries.id, after) : undefined
      )
    )
    .orderBy(asc(whiteListEntries.id))
    .limit(limit + 1)
  return pageOf(
    rows,
    request,
    (row) => row.id,
    (row) => entryOf(resourceUrls, row)
  )
}

const entryOf = (resourceUrls: ResourceUrls, row: typeof whiteListEntries.$inferSelect): WhiteListEntry => ({
  id: row.id,
  buyer: resourceUrls.url(partyResource, row.buyerId),
  item: resourceUrls.url(itemResource, row.itemId)
})
