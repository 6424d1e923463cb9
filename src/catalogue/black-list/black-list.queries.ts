import { withCurrentPatient } from '../../clinical/current-patient.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byPatient, byReference } from '../../filters/kinds.js'
import { rowQueries } from '../../filters/row-queries.js'
import type { Call } from '../../platform/auth/call.js'
import type { Page, PageRequest } from '../../platform/rest/pagination.js'
import type { Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { toBlackListEntry } from '../serializers.js'
import { blackListEntries } from '../tables.js'
import type { BlackListEntry } from './black-list.schemas.js'
import { isOwnBlackListEntry } from './black-list.service.js'

export const blackListFilters = listFilters(
  byPatient('URL of the clinical Patient. Required.', blackListEntries.patient),
  byReference('item', itemResource, 'URL of the catalogue item.', blackListEntries.itemId)
)
export type BlackListFilters = Given<typeof blackListFilters>

const queries = rowQueries({
  id: blackListEntries.id,
  select: (db, where) => db.select().from(blackListEntries).where(where),
  visibleTo: (_ports, call) => isOwnBlackListEntry(call),
  filters: blackListFilters,
  toResource: (ports: Ports, _call, row) => toBlackListEntry(ports, row)
})

/**
 * Reads a black list entry of the caller's organization.
 * @throws Problem `not-found`.
 */
export async function viewBlackListEntry(
  ports: Ports,
  call: Call,
  id: string
): Promise<Versioned<BlackListEntry>> {
  const entry = await queries.view(ports, call, id)
  call.auditContext.addSubject(entry.resource.patient)
  return entry
}

/** Lists a page of the entries that the caller's organization made for a patient. */
export const listBlackListEntries = async (
  ports: Ports,
  call: Call,
  filters: BlackListFilters,
  request: PageRequest<string>
): Promise<Page<string>> => queries.list(ports, call, await withCurrentPatient(ports.db, filters), request)
