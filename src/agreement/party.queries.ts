import { and, gt, sql } from 'drizzle-orm'
import { jsonText } from '../db/json/serializer.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../db/sql/page.js'
import { type Given, listFilters, type Params } from '../filters/filter.js'
import { byCode, byOrganization, byWords } from '../filters/kinds.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import type { Ports } from '../ports.js'
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
type PartyListParams = Params<typeof partyFilters> & { after: string | undefined }

const pages = dynamicQuery<PartyListParams, PageLimits, [id: Buffer, json: Buffer | null]>((active) =>
  pageStatement({
    table: 'parties',
    json: jsonText(partySerializer, 'parties'),
    where: and(partyFilters.where(active), active.after && gt(parties.id, active.after))
  })
)

/**
 * Lists a page of the parties, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listParties(
  ports: Ports,
  filters: PartyFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const params = partyFilters.parse(ports, filters)
  if (!params) return emptyPage
  const rows = await pages(ports.db, { ...params, after }, { rows: limit + 1, bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
