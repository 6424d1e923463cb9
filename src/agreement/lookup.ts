import { and, gte, lte, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { isAuthorized } from '../platform/auth/access.js'
import type { Call } from '../platform/auth/call.js'
import type { Words } from '../platform/errors/language.js'
import type { FieldErrors } from '../platform/errors/problem.js'
import { loadByUrl } from '../platform/rest/load-by-url.js'
import { formUnlessIn } from '../platform/util/resource-urls.js'
import type { Ports } from '../ports.js'
import { partyRead } from './party.access.js'
import type { Party, Role } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { partyResource } from './resources.js'
import { partySerializer } from './serializers.js'
import { contracts, type PartyRow, parties } from './tables.js'
import { isNameable, type NameableScope, nameablePartiesText } from './visibility.js'

/** Something that needs a party in a role. */
export interface PartyUse {
  /** For the text of a refusal: 'open orders'. */
  what: Words
  exists(db: Queryable, partyId: string, role: Role, today: string): Promise<boolean>
}

/** Whether there is any party. */
export async function hasParties(db: Queryable): Promise<boolean> {
  const found = await db.select({ id: parties.id }).from(parties).limit(1)
  return found.length > 0
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
 * for each invalid reference, and returns undefined for unknown parties and parties that the caller
 * may not name, without distinguishing them.
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
      const which = nameablePartiesText[scope ?? 'any']
      const form = formUnlessIn(ports.resourceUrls, partyResource, url)
      errors.addUnresolvedReference(pointer, {
        en: `It must be the URL of a party ${which.en}${form}.`,
        da: `Det skal være adressen på en part ${which.da}${form}.`
      })
      return undefined
    }
    if (!party.allowedRoles.includes(role))
      errors.add(agreementProblem, 'wrong-role', pointer, {
        en: `It must be a party with the role ${role}.`,
        da: `Det skal være en part med rollen ${role}.`
      })
    return party
  })
}

/** Reads those of the parties that the caller may read, each as it is read by its id. */
export async function viewReadableParties(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  ids: readonly string[]
): Promise<Party[]> {
  if (ids.length === 0 || !isAuthorized(call.caller, partyRead)) return []
  return (await loadParties(db, ids)).map(partySerializer.toJson)
}

/** Loads parties by id. */
export const loadParties = (db: Queryable, ids: readonly string[]): Promise<PartyRow[]> =>
  db.select().from(parties).where(inIds(parties.id, ids))

/**
 * Whether a contract between seller and buyer is in force on a date (first and last day inclusive).
 */
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

/** Finds the sellers that have a contract with a buyer in force on a date. */
export async function findSellersInForce(
  db: Queryable,
  buyerId: string,
  date: string
): Promise<ReadonlySet<string>> {
  const rows = await db.execute<{ seller_id: string }>(sellersInForce(buyerId, date))
  return new Set(rows.map((row) => row.seller_id))
}

/** SQL condition: a contract is in force on a date. */
export const inForce = (date: string | Placeholder | SQL) =>
  and(lte(contracts.firstDay, date), gte(contracts.lastDay, date))

/**
 * Subselect: ids of the sellers that have a contract with a buyer in force on a date. Both must
 * still have their roles.
 */
export const sellersInForce = (buyerId: string | Placeholder, date: string | Placeholder): SQL => sql`
  select contracts.seller_id
  from contracts
  join contract_buyers on contract_buyers.contract_id = contracts.id
  join parties seller on seller.id = contracts.seller_id
  join parties buyer on buyer.id = contract_buyers.buyer_id
  where contract_buyers.buyer_id = ${buyerId} and ${inForce(date)}
    and seller.allowed_roles @> '{SELLER}' and buyer.allowed_roles @> '{BUYER}'`
