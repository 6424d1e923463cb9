import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { type Given, listFilters } from '../filters/filter.js'
import { byCode, byOrganization, byWords } from '../filters/kinds.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import type { Ports } from '../ports.js'
import { partyRead } from './agreement.access.js'
import { loadParties, selectParties } from './lookup.js'
import type { Party } from './party.schemas.js'
import { type PartyRow, parties } from './tables.js'

/** A party as it is returned. */
export const toParty = ({ id, allowedRoles, name, email, organization }: PartyRow): Party => ({
  id,
  allowedRoles,
  name,
  email,
  organization
})

/** The filters of the list of parties. */
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

/**
 * Reads a party.
 * @throws Problem `not-found`.
 */
export async function viewParty({ db }: Pick<Ports, 'db'>, id: string): Promise<Versioned<Party>> {
  const [row] = await selectParties(db).where(eq(parties.id, id))
  if (!row) throw problem('not-found')
  return new Versioned(toParty(row), revisionOf(row))
}

/** Reads the parties with these ids that the caller may read, in the form of `GET /party/{id}`. */
export async function viewReadableParties(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  ids: readonly string[]
): Promise<Party[]> {
  if (ids.length === 0 || !isAuthorized(call.caller, partyRead)) return []
  return (await loadParties(db, ids)).map(toParty)
}

/**
 * Lists a page of the parties, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listParties(
  ports: Ports,
  filters: PartyFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const given = partyFilters.parse(ports, filters)
  if (!given) return emptyPage
  const rows = await selectParties(ports.db)
    .where(and(partyFilters.where(given), after ? gt(parties.id, after) : undefined))
    .orderBy(asc(parties.id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    (row) => row.id,
    (row) => JSON.stringify(toParty(row))
  )
}
