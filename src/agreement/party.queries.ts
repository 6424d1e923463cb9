import { and, eq, gt, sql } from 'drizzle-orm'
import { parseOrganizationFilter } from '../clinical/reference.js'
import { jsonText } from '../db/json/serializer.js'
import { type WordParams, wordParams, wordsMatch } from '../db/sql/conditions.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../db/sql/page.js'
import { type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import { searchPatterns } from '../platform/util/search-text.js'
import type { Ports } from '../ports.js'
import { parseCodeFilter } from '../terminology/known-code.js'
import { loadParties } from './lookup.js'
import type { Party } from './party.schemas.js'
import { partyNotFound } from './party.service.js'
import { partySerializer } from './serializers.js'
import { parties } from './tables.js'

/**
 * Reads a party.
 * @throws Problem `not-found`.
 */
export async function viewParty({ db }: Pick<Ports, 'db'>, id: string): Promise<Versioned<Party>> {
  const [party] = await loadParties(db, [id])
  if (!party) throw partyNotFound()
  return new Versioned(partySerializer.toJson(party), revisionOf(party))
}

export interface PartyFilters {
  /** URL of a clinical Organization. */
  organization?: string
  role?: string
  q?: string
}

interface PartyListParams extends WordParams {
  organization: string | undefined
  role: string | undefined
  after: string | undefined
}

const pages = dynamicQuery<PartyListParams, PageLimits, [id: Buffer, json: Buffer | null]>((active) =>
  pageStatement({
    table: 'parties',
    json: jsonText(partySerializer, 'parties'),
    where: and(
      active.organization && eq(parties.organization, active.organization),
      active.role && sql`${parties.allowedRoles} @> array[${active.role}::text]`,
      wordsMatch(parties, active),
      active.after && gt(parties.id, active.after)
    )
  })
)

/**
 * Lists a page of the parties, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listParties(
  { db, terminology, limits }: Pick<Ports, 'db' | 'terminology' | 'limits'>,
  { organization, role, q }: PartyFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const params: PartyListParams = {
    organization: organization === undefined ? undefined : parseOrganizationFilter(organization),
    role: parseCodeFilter(terminology, 'party-role', 'role', role),
    ...wordParams(searchPatterns(limits, q)),
    after
  }
  const rows = await pages(db, params, { rows: limit + 1, bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
