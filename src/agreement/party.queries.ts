import { gt } from 'drizzle-orm'
import { jsonSize, jsonText } from '../db/json/serializer.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../db/sql/page.js'
import { type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
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
export async function viewParty({ db }: Pick<Ports, 'db'>, id: string): Promise<Party> {
  const [party] = await loadParties(db, [id])
  if (!party) throw partyNotFound()
  return partySerializer.toJson(party)
}

const pages = dynamicQuery<{ after: string | undefined }, PageLimits, [id: Buffer, json: Buffer | null]>(
  ({ after }) =>
    pageStatement({
      table: 'parties',
      json: jsonText(partySerializer, 'parties'),
      size: jsonSize(partySerializer, 'parties'),
      where: after && gt(parties.id, after)
    })
)

/** Lists a page of all parties, in order of creation. */
export async function listParties(
  { db }: Pick<Ports, 'db'>,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const rows = await pages(db, { after }, { rows: limit + 1, bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
