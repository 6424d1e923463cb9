import { sql } from 'drizzle-orm'
import { type Given, listFilters } from '../filters/filter.js'
import { byCode, byOrganization, byWords } from '../filters/kinds.js'
import { rowQueries } from '../filters/row-queries.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'
import type { Ports } from '../ports.js'
import { partyRead } from './agreement.access.js'
import { loadParties, selectParties } from './lookup.js'
import type { Party } from './party.schemas.js'
import { type PartyRow, parties } from './tables.js'

export const toParty = ({ id, allowedRoles, name, email, organization }: PartyRow): Party => ({
  id,
  allowedRoles,
  name,
  email,
  organization
})

export const partyFilters = listFilters(
  byOrganization('URL of the clinical Organization that the parties are or belong to.', parties.organization),
  byCode(
    'role',
    'party-role',
    'Role that the parties may have.',
    (role) => sql`${parties.allowedRoles} @> array[${role}::text]`
  ),
  byWords('the name and e-mail address', parties)
)
export type PartyFilters = Given<typeof partyFilters>

export const partyQueries = rowQueries({
  id: parties.id,
  select: (db, where) => selectParties(db).where(where),
  filters: partyFilters,
  toResource: (_ports: Ports, _call, row) => toParty(row)
})

/** Reads the parties with these ids that the caller may read, in the form of `GET /party/{id}`. */
export async function viewReadableParties(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  ids: readonly string[]
): Promise<Party[]> {
  if (ids.length === 0 || !isAuthorized(call.caller, partyRead)) return []
  return (await loadParties(db, ids)).map(toParty)
}
