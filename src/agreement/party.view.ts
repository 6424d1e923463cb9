import { gt, sql } from 'drizzle-orm'
import { filtered } from '../db/filtered.js'
import { sizeOf, textOf } from '../db/form.js'
import { type PageValues, pageStatement } from '../db/page.js'
import { type Page, type PageRequest, writtenPage } from '../platform/paging.js'
import type { Ports } from '../ports.js'
import { partyForm } from './forms.js'
import { findParties } from './lookup.js'
import type { Party } from './party.schemas.js'
import { partyNotFound } from './party.service.js'
import { parties } from './tables.js'

/** @throws Problem `not-found`. */
export async function viewParty({ db }: Pick<Ports, 'db'>, id: string): Promise<Party> {
  const [party] = await findParties(db, [id])
  if (!party) throw partyNotFound()
  return partyForm.of(party)
}

const pages = filtered<{ after: string | undefined }, PageValues, [id: Buffer, json: Buffer | null]>(
  ({ after }) =>
    pageStatement({
      table: 'parties',
      columns: sql`parties.id`,
      json: textOf(partyForm, 'parties'),
      size: sizeOf(partyForm, 'parties'),
      from: sql`from parties`,
      where: after && gt(parties.id, after),
      order: sql`parties.id`
    })
)

/** A page of all parties, in order of creation. */
export async function listParties(
  { db }: Pick<Ports, 'db'>,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const rows = await pages(db, { after }, { rows: limit + 1, bytes })
  return writtenPage(rows, request, ([id]) => String(id))
}
