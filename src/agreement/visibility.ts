import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import type { Actor } from '../platform/auth/actor.js'
import type { Ports } from '../ports.js'
import { contracts, parties } from './tables.js'

/*
 * Visibility for clerks: parties that the clerk's organization registered, and contracts that it
 * takes part in. An organization has a contract with a seller when it is the account or a buyer of
 * one that has not ended; a contract that starts later counts too.
 */

type Today = Pick<Ports, 'today'>

/** SQL condition: the caller may change the party. */
export function partyChangeableBy(ports: Today, { scope, organization = '' }: Actor): SQL | undefined {
  if (scope === 'any') return undefined
  // The registering organization of older parties is unknown: their contract partners may change
  // them.
  const partners = sql`(select unnest(array[seller_id, account_id]) from (${unendedContracts(ports, organization)}) c)`
  return or(
    eq(parties.organization, organization),
    eq(parties.registeredBy, organization),
    and(isNull(parties.registeredBy), inArray(parties.id, partners))
  )
}

/**
 * Subselect: ids of the sellers whose catalogues the caller's organization may change, because it
 * registered them or has a contract with them.
 */
export const administeredSellers = (ports: Today, { organization = '' }: Actor): SQL => sql`(
  select id from parties where registered_by = ${organization}
  union all select seller_id from (${unendedContracts(ports, organization)}) c)`

/** The parties among these that are {@link administeredSellers}. */
export async function filterAdministered(
  ports: Today & { db: Queryable },
  actor: Actor,
  ids: readonly string[]
): Promise<Set<string>> {
  const rows = await ports.db
    .select({ id: parties.id })
    .from(parties)
    .where(and(inIds(parties.id, ids), inArray(parties.id, administeredSellers(ports, actor))))
  return new Set(rows.map(({ id }) => id))
}

/** SQL condition: the caller's organization is the account or a buyer of the contract. */
export function contractChangeableBy({ scope, organization = '' }: Actor): SQL | undefined {
  if (scope === 'any') return undefined
  const own = sql`(select id from parties where organization = ${organization})`
  return sql`(${contracts.accountId} in ${own} or exists (
    select from contract_buyers b where b.contract_id = ${contracts.id} and b.buyer_id in ${own}))`
}

/** Subselect: contracts with an organization as account or buyer that end today or later. */
function unendedContracts({ today }: Today, organization: string): SQL {
  const date = today()
  return sql`
    select c.seller_id, c.account_id from parties p
      join contracts c on c.account_id = p.id
      where p.organization = ${organization} and c.last_day >= ${date}
    union all select c.seller_id, c.account_id from parties p
      join contract_buyers b on b.buyer_id = p.id
      join contracts c on c.id = b.contract_id
      where p.organization = ${organization} and c.last_day >= ${date}`
}
