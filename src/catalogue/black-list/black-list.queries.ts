import { and, asc, eq, gt } from 'drizzle-orm'
import { withCurrentPatient } from '../../clinical/current-patient.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byPatient, byReference } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { toBlackListEntry } from '../serializers.js'
import { blackListEntries } from '../tables.js'
import type { BlackListEntry } from './black-list.schemas.js'
import { blackListEntryNotFound, madeBy } from './black-list.service.js'

/** The filters of the list of black list entries. */
export const blackListFilters = listFilters(
  byPatient('URL of the clinical Patient. Required.', blackListEntries.patient),
  byReference('item', itemResource, 'URL of the catalogue item.', blackListEntries.itemId)
)
export type BlackListFilters = Given<typeof blackListFilters>

/**
 * Reads a black list entry of the caller's organization.
 * @throws Problem `not-found`.
 */
export async function viewBlackListEntry(
  ports: Ports,
  call: Call,
  id: string
): Promise<Versioned<BlackListEntry>> {
  const [row] = await ports.db
    .select()
    .from(blackListEntries)
    .where(and(eq(blackListEntries.id, id), madeBy(call)))
  if (!row) throw blackListEntryNotFound()
  call.auditContext.addSubject(row.patient)
  return new Versioned(toBlackListEntry(ports, row), revisionOf(row))
}

/**
 * Lists a page of the entries that the caller's organization made for a patient, in order of
 * creation.
 */
export async function listBlackListEntries(
  ports: Ports,
  call: Call,
  filters: BlackListFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const given = blackListFilters.parse(ports, filters)
  if (!given) return emptyPage
  call.auditContext.addSubject(given.patient ?? '')
  const search = await withCurrentPatient(ports.db, given)
  const rows = await ports.db
    .select()
    .from(blackListEntries)
    .where(
      and(blackListFilters.where(search), madeBy(call), after ? gt(blackListEntries.id, after) : undefined)
    )
    .orderBy(asc(blackListEntries.id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    ({ id }) => id,
    (row) => JSON.stringify(toBlackListEntry(ports, row))
  )
}
