import { and, arrayContains, eq, gte, lte, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { anyOf } from '../db/any-of.js'
import type { Queryable } from '../db/connection.js'
import type { Actor } from '../platform/actor.js'
import { asInSheet } from '../platform/as-in-sheet.js'
import { byReference } from '../platform/by-reference.js'
import { mapInTurns } from '../platform/in-turns.js'
import type { Faults } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import { partyKind } from './kinds.js'
import type { Role } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { contracts, parties } from './tables.js'

export type PartyRow = typeof parties.$inferSelect

/** A reference to a party in a request: where it stands, the role it needs, and whether it must be the caller's own. */
export interface PartyReference {
  pointer: string
  url: string
  role: Role
  own?: boolean
}

/**
 * Finds the parties that a request refers to, with one query. What is wrong with a reference becomes a fault: a party that
 * must be the caller's own and is not is reported like one that is not there. The answer is in the order of the references.
 */
export async function resolveParties(
  { db, references }: Pick<Ports, 'db' | 'references'>,
  actor: Actor,
  faults: Faults,
  wanted: readonly PartyReference[]
): Promise<(PartyRow | undefined)[]> {
  const urls = wanted.map(({ url }) => url)
  const found = await byReference(references, partyKind, urls, (ids) => findParties(db, ids))
  return wanted.map(({ pointer, url, role, own }) => {
    const party = found.get(url)
    if (!party || (own && party.organization !== actor.organization)) {
      faults.dangling(
        pointer,
        own ? 'It must be the URL of a party of your organization.' : 'It must be the URL of a party here.'
      )
      return undefined
    }
    if (!party.allowedRoles.includes(role))
      faults.add(agreementProblem, 'wrong-role', pointer, `The party does not have the role ${role}.`)
    return party
  })
}

/** A party as a sheet calls it: by its URL or by its name. */
export interface PartyName {
  pointer: string
  text: string
  role: Role
  own: boolean
}

/**
 * Finds parties by what a sheet calls them, in the order given. A name counts where one party alone that has the role, and is the
 * caller's own where it must be, goes by it. What is wrong becomes a fault.
 */
export async function namedParties(
  ports: Pick<Ports, 'db' | 'references'>,
  actor: Actor,
  faults: Faults,
  wanted: readonly PartyName[]
): Promise<(PartyRow | undefined)[]> {
  const names = [...new Set(wanted.map(({ text }) => text))]
  const ids = names.flatMap((text) => ports.references.id(partyKind, text) ?? [])
  const rows = await ports.db
    .select()
    .from(parties)
    .where(or(anyOf(parties.id, ids), sql`btrim(${parties.name}) = any(${sql.param(names)}::text[])`))
  return mapInTurns(wanted, ({ pointer, text, role, own }) => {
    const id = ports.references.id(partyKind, text)
    const found = rows.filter(
      (party) =>
        (id === undefined ? asInSheet(party.name) === text : party.id === id) &&
        party.allowedRoles.includes(role) &&
        (!own || party.organization === actor.organization)
    )
    if (found.length > 1)
      faults.add(
        agreementProblem,
        'ambiguous-party',
        pointer,
        'Several parties go by this name: write the URL of one.'
      )
    else if (found.length === 0)
      faults.dangling(
        pointer,
        `It must be the name or the URL of a party ${own ? 'of your organization ' : ''}with the role ${role}.`
      )
    return found.length === 1 ? found[0] : undefined
  })
}

/**
 * What a sheet calls the parties that have a role, by their ids: by name, or by URL where several have the name or a sheet would
 * change it.
 * @param own whether only those of the caller's organization count.
 */
export async function rolePlayers(
  { db, references }: Pick<Ports, 'db' | 'references'>,
  actor: Actor,
  role: Role,
  own: boolean
): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: parties.id, name: parties.name })
    .from(parties)
    .where(
      and(
        arrayContains(parties.allowedRoles, [role]),
        own ? eq(parties.organization, actor.organization ?? '') : undefined
      )
    )
    .orderBy(parties.name, parties.id)
  const bearers = new Map<string, number>()
  for (const { name } of rows) bearers.set(asInSheet(name), (bearers.get(asInSheet(name)) ?? 0) + 1)
  return new Map(
    rows.map(({ id, name }) => {
      const shown = asInSheet(name)
      const isKept = shown !== '' && shown === name.replace(/^ +| +$/g, '')
      const isClear = bearers.get(shown) === 1
      const isUrl = references.id(partyKind, shown) !== undefined
      return [id, isKept && isClear && !isUrl ? shown : references.url(partyKind, id)]
    })
  )
}

/** The parties of these ids. */
export const findParties = (db: Queryable, ids: readonly string[]): Promise<PartyRow[]> =>
  db.select().from(parties).where(anyOf(parties.id, ids))

/** Whether a contract between seller and buyer is in force on a date, both its first and its last day included. */
export async function isContractInForce(
  db: Queryable,
  sellerId: string,
  buyerId: string,
  date: string
): Promise<boolean> {
  const [row] = await db.execute(
    sql`${sellersInForce(buyerId, date)} and contracts.seller_id = ${sellerId} limit 1`
  )
  return row !== undefined
}

/** The condition that a contract is in force on a date. */
export const inForce = (date: string | Placeholder) =>
  and(lte(contracts.firstDay, date), gte(contracts.lastDay, date))

/**
 * Ids of the sellers that have a contract with a buyer in force on a date: a sub-select. A party that has lost its role since
 * trades no more.
 */
export const sellersInForce = (buyerId: string | Placeholder, date: string | Placeholder): SQL => sql`
  select contracts.seller_id
  from contracts
  join contract_buyers on contract_buyers.contract_id = contracts.id
  join parties seller on seller.id = contracts.seller_id
  join parties buyer on buyer.id = contract_buyers.buyer_id
  where contract_buyers.buyer_id = ${buyerId} and ${inForce(date)}
    and seller.allowed_roles @> '{SELLER}' and buyer.allowed_roles @> '{BUYER}'`

/** Ids of the parties of an organization: a sub-select. */
export const partiesOf = (db: Queryable, organization: string | Placeholder) =>
  db.select({ id: parties.id }).from(parties).where(eq(parties.organization, organization))
