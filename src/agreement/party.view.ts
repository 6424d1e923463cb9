import { asc, gt } from 'drizzle-orm'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import type { Ports } from '../ports.js'
import { findParties, type PartyRow } from './lookup.js'
import type { Party } from './party.schemas.js'
import { partyNotFound } from './party.service.js'
import { parties } from './tables.js'

/** @throws Problem `not-found`. */
export async function viewParty({ db }: Pick<Ports, 'db'>, id: string): Promise<Party> {
  const [party] = await findParties(db, [id])
  if (!party) throw partyNotFound()
  return partyOf(party)
}

/** A page of all parties, in order of creation. */
export async function listParties(
  { db }: Pick<Ports, 'db'>,
  { limit, after }: PageRequest<string>
): Promise<Page<Party, string>> {
  const rows = await db
    .select()
    .from(parties)
    .where(after ? gt(parties.id, after) : undefined)
    .orderBy(asc(parties.id))
    .limit(limit + 1)
  const { entries, next } = pageOf(rows, limit, (row) => row.id)
  return { entries: entries.map(partyOf), next }
}

const partyOf = ({ createdAt, ...shown }: PartyRow): Party => shown
