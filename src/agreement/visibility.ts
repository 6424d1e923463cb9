import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import type { Actor } from '../platform/auth/actor.js'
import type { Ports } from '../ports.js'
import { contracts, parties } from './tables.js'

/*
 * What a clerk's organization takes part in or registered. It has a contract with a seller when it is the account or a buyer of one
 * that has not ended; one that begins later counts.
 */

type Today = Pick<Ports, 'today'>

/** The condition on a query over parties that the caller may change them. */
export function partyVisibleTo(ports: Today, { scope, organization = '' }: Actor): SQL | undefined {
  if (scope === 'any') return undefined
  // Of an older party nobody knows who registered it: those have it who have a contract with it.
  const partners = sql`(select unnest(array[seller_id, account_id]) from (${unended(ports, organization)}) c)`
  return or(
    eq(parties.organization, organization),
    eq(parties.registeredBy, organization),
    and(isNull(parties.registeredBy), inArray(parties.id, partners))
  )
}

/** Ids of the sellers whose catalogues the caller's organization may change, since it registered them or has a contract with them: a sub-select. */
export const administeredSellers = (ports: Today, { organization = '' }: Actor): SQL => sql`(
  select id from parties where registered_by = ${organization}
  union all select seller_id from (${unended(ports, organization)}) c)`

/** Those of these parties that are such sellers. */
export async function amongAdministered(
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

/** The condition on a query over contracts that the caller's organization is account or buyer of them. */
export function contractVisibleTo({ scope, organization = '' }: Actor): SQL | undefined {
  if (scope === 'any') return undefined
  const own = sql`(select id from parties where organization = ${organization})`
  return sql`(${contracts.accountId} in ${own} or exists (
    select from contract_buyers b where b.contract_id = ${contracts.id} and b.buyer_id in ${own}))`
}

/** The contracts of an organization, as account or as buyer, whose last day is today or later. */
function unended({ today }: Today, organization: string): SQL {
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
