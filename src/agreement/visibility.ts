import { eq, inArray, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import { contracts, parties } from './tables.js'

/*
 * An organization administers its own parties and those that its clerks registered, and the
 * catalogues of such sellers. A contract gives no such right: any clerk can register a contract
 * with any seller. Only an operator changes the organization of a party or its registrant. An
 * organization changes the contracts in which it is the account or a buyer.
 */

/** Whether the caller is a clerk who only changes resources that its organization administers. */
export const isLimitedClerk = ({ caller, administersAll = false }: Call): boolean =>
  caller.userType === 'AdministrativeClerk' && !administersAll

const administeredBy = (organization: string | Placeholder) =>
  or(eq(parties.organization, organization), eq(parties.registeredBy, organization))

export const partyChangeableBy = ({ scope, caller: { organization = '' } }: Call): SQL | undefined =>
  scope === 'any' ? undefined : administeredBy(organization)

export const organizationPartyIds = (db: Queryable, organization: string | Placeholder) =>
  db.select({ id: parties.id }).from(parties).where(eq(parties.organization, organization))

export const partyIdsAdministeredBy = (db: Queryable, organization: string | Placeholder) =>
  db.select({ id: parties.id }).from(parties).where(administeredBy(organization))

export const administeredPartyIds = (db: Queryable, { caller: { organization = '' } }: Call) =>
  partyIdsAdministeredBy(db, organization)

export const hasBuyer = (buyer: string | Placeholder | SQL): SQL =>
  sql`${contracts.id} in (select contract_id from contract_buyers where buyer_id = ${buyer})`

/** SQL condition: the caller may change the contract; undefined for a caller who changes all. */
export function contractChangeableBy({ scope, caller: { organization = '' } }: Call): SQL | undefined {
  if (scope === 'any') return undefined
  const own = sql`(select id from parties where organization = ${organization})`
  return sql`(${contracts.accountId} in ${own} or ${hasBuyer(sql`any ${own}`)})`
}

/** SQL condition: the caller may see the contract; undefined for a caller who sees all. */
export const contractVisibleTo = (
  { db }: { db: Queryable },
  { scope, caller: { organization = '' } }: Call
): SQL | undefined =>
  scope === 'any' ? undefined : inArray(contracts.sellerId, organizationPartyIds(db, organization))
