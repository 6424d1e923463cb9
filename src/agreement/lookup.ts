import { and, gte, lte, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { writtenColumns } from '../db/written-columns.js'
import type { Call } from '../platform/auth/call.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import type { LocalizedText } from '../platform/errors/language.js'
import { formUnlessIn, loadByUrl } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import type { Role } from './party.schemas.js'
import { partyResource } from './resources.js'
import { contracts, type PartyRow, parties } from './tables.js'
import { agreementProblem, nameableTexts } from './texts.js'

/** A use of parties that requires a role. */
export interface PartyUse {
  /** Part of the text of an error, such as 'open orders'. */
  what: LocalizedText
  exists(db: Queryable, partyId: string, role: Role): Promise<boolean>
}

/** Whether any party is used. */
export async function hasParties(db: Queryable): Promise<boolean> {
  const found = await db.select({ id: parties.id }).from(parties).limit(1)
  return found.length > 0
}

/**
 * The parties that a caller may name: the parties of its organization, or those that it
 * administers.
 */
export type NameableScope = 'own' | 'administered'

/** Whether the caller may name this party. */
export function isNameable({ caller }: Call, party: PartyRow, scope: NameableScope | undefined): boolean {
  if (scope === undefined || party.organization === caller.organization) return true
  return scope === 'administered' && party.registeredBy === caller.organization
}

/** The sellers whose catalogues a caller may change; undefined for all. */
export function changeableSellers({ scope }: Call): NameableScope | undefined {
  if (scope === 'any') return undefined
  return scope === 'administered' ? 'administered' : 'own'
}

/**
 * A reference to a party in a request, with the required role; `scope` undefined allows all
 * parties.
 */
export interface PartyReference {
  pointer: string
  url: string
  role: Role
  scope?: NameableScope | undefined
}

/**
 * Resolves the party references of a request with one query, in the same order. Adds a field error
 * for each invalid reference. Returns undefined both for unknown parties and for parties that the
 * caller may not name.
 */
export async function resolveParties(
  ports: Pick<Ports, 'db' | 'resourceUrls'>,
  call: Call,
  errors: FieldErrors,
  refs: readonly PartyReference[]
): Promise<(PartyRow | undefined)[]> {
  const urls = refs.map(({ url }) => url)
  const found = await loadByUrl(ports.resourceUrls, partyResource, urls, (ids) => loadParties(ports.db, ids))
  return refs.map(({ pointer, url, role, scope }) => {
    const party = found.get(url)
    if (!party || !isNameable(call, party, scope)) {
      const which = nameableTexts[scope ?? 'any']
      const form = formUnlessIn(ports.resourceUrls, partyResource, url)
      errors.add(agreementProblem('dangling-reference.party', pointer, { which, form }))
      return undefined
    }
    if (!party.allowedRoles.includes(role))
      errors.add(agreementProblem('wrong-role.party', pointer, { role }))
    return party
  })
}

/** Selects rows of parties; the caller adds the condition. */
export const selectParties = (db: Queryable) => db.select(writtenColumns(parties)).from(parties)

export const loadParties = (db: Queryable, ids: readonly string[]): Promise<PartyRow[]> =>
  selectParties(db).where(inIds(parties.id, ids))

/** Finds the sellers that have a contract with a buyer in force on a date. */
export async function findSellersInForce(
  db: Queryable,
  buyerId: string,
  date: string
): Promise<ReadonlySet<string>> {
  const rows = await db.execute<{ seller_id: string }>(sellersInForce(buyerId, date))
  return new Set(rows.map((row) => row.seller_id))
}

/** SQL condition: a contract is in force on a date, first and last day inclusive. */
export const inForce = (date: string | Placeholder | SQL) =>
  and(lte(contracts.firstDay, date), gte(contracts.lastDay, date))

/**
 * Subselect: ids of the sellers that have a contract with a buyer in force on a date. Both parties
 * must still have their roles.
 */
export const sellersInForce = (buyerId: string | Placeholder, date: string | Placeholder): SQL => sql`
  select contracts.seller_id
  from contracts
  join contract_buyers on contract_buyers.contract_id = contracts.id
  join parties seller on seller.id = contracts.seller_id
  join parties buyer on buyer.id = contract_buyers.buyer_id
  where contract_buyers.buyer_id = ${buyerId} and ${inForce(date)}
    and seller.allowed_roles @> '{SELLER}' and buyer.allowed_roles @> '{BUYER}'`
