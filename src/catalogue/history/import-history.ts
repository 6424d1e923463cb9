import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { partyResource } from '../../agreement/resources.js'
import type { Queryable } from '../../db/driver/database.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import { isId } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { catalogueResource } from '../resources.js'
import { catalogues } from '../tables.js'
import { catalogueVisibleTo } from '../visibility.js'
import type { HistoryEntry } from './history.schemas.js'
import { isUndoable } from './history.store.js'
import { catalogueImports, type HistoryRow } from './tables.js'

export const historyFilters = listFilters(
  byReference('catalogue', catalogueResource, 'URL of the catalogue.', catalogueImports.catalogueId)
)
export type HistoryFilters = Given<typeof historyFilters>

/** The time and the id of an entry. */
export type HistoryKey = readonly [recordedAt: string, id: string]

/** Whether the caller's organization made the entry. */
export const isOfOwnOrganization = (
  call: Call,
  { organization }: Pick<HistoryRow, 'organization'>
): boolean => organization !== null && organization === call.caller.organization

export const importNotFound = () => problem('not-found')

const undo = alias(catalogueImports, 'undo')

/** The data for an undo may be large, so lists do not select it. */
const { former: _former, created: _created, ...entryColumns } = getTableColumns(catalogueImports)

const selectEntries = (db: Queryable) =>
  db
    .select({
      ...entryColumns,
      undoneAt: undo.recordedAt,
      undoable: isUndoable
    })
    .from(catalogueImports)
    .innerJoin(catalogues, eq(catalogues.id, catalogueImports.catalogueId))
    .leftJoin(undo, eq(undo.undoes, catalogueImports.id))
type EntryRow = Awaited<ReturnType<typeof selectEntries>>[number]

/** Lists a page of the imports into catalogues that the caller may change, newest first. */
export async function listHistory(
  ports: Ports,
  call: Call,
  filters: HistoryFilters,
  request: PageRequest<HistoryKey>
): Promise<Page<HistoryKey>> {
  const { limit, after } = request
  const given = historyFilters.parse(ports, filters)
  if (!given) return emptyPage
  const { recordedAt, id } = catalogueImports
  const rows = await selectEntries(ports.db)
    .where(
      and(
        catalogueVisibleTo(ports, call),
        historyFilters.where(given),
        after ? sql`(${recordedAt}, ${id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : undefined
      )
    )
    .orderBy(desc(recordedAt), desc(id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    (row): HistoryKey => [row.recordedAt.toISOString(), row.id],
    (row) => JSON.stringify(toEntry(ports, call, row))
  )
}

/**
 * Reads an entry of the history of a catalogue that the caller may change.
 * @throws Problem `not-found`.
 */
export async function viewHistoryEntry(ports: Ports, call: Call, id: string): Promise<HistoryEntry> {
  const visible = and(isId(id) ? eq(catalogueImports.id, id) : sql`false`, catalogueVisibleTo(ports, call))
  const [row] = await selectEntries(ports.db).where(visible)
  if (!row) throw importNotFound()
  return toEntry(ports, call, row)
}

/**
 * An entry in the form that the caller may see. Another organization sees neither the user, nor the
 * file's name, which may contain a person's name, nor the changes of annotations and white lists,
 * which belong to the buyers of the importing organization.
 */
function toEntry({ resourceUrls }: Ports, call: Call, row: EntryRow): HistoryEntry {
  const isOwn = isOfOwnOrganization(call, row)
  const { catalogue, items, annotations, whiteList } = row.counts
  return {
    id: row.id,
    catalogue: resourceUrls.url(catalogueResource, row.catalogueId),
    seller: resourceUrls.url(partyResource, row.sellerId),
    recorded: row.recordedAt.toISOString(),
    userType: row.userType,
    organization: row.organization,
    user: isOwn ? row.userId : null,
    fileName: isOwn ? row.fileName : null,
    catalogueChange: catalogue,
    items,
    annotations: isOwn ? annotations : null,
    whiteList: isOwn ? whiteList : null,
    undoes: row.undoes,
    undone: row.undoneAt?.toISOString() ?? null,
    undoable: row.undoable
  }
}
