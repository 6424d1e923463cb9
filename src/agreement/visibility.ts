import { eq, inArray, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import type { Words } from '../platform/errors/language.js'
import { contracts, type PartyRow, parties } from './tables.js'

/*
 * An organization administers its own parties and those that its clerks registered, and with
 * sellers their catalogues. A contract gives no such right: anybody can register one with any
 * seller. Only an operator changes the organization of a party or its registrant. An organization
 * changes the contracts in which it is the account or a buyer.
 */

/** Whether the caller's organization administers the party. */
export const administers = ({ caller: { organization } }: Call, party: PartyRow): boolean =>
  party.organization === organization || party.registeredBy === organization

/** SQL condition: the caller's organization administers the party. */
const administeredBy = ({ caller: { organization = '' } }: Call) =>
  or(eq(parties.organization, organization), eq(parties.registeredBy, organization))

/** SQL condition: the caller may change the party. */
export const partyChangeableBy = (call: Call): SQL | undefined =>
  call.scope === 'any' ? undefined : administeredBy(call)

/** Subselect: ids of the parties that the caller's organization administers. */
export const administeredPartyIds = (db: Queryable, call: Call) =>
  db.select({ id: parties.id }).from(parties).where(administeredBy(call))

/** SQL condition: the caller's organization is the account or a buyer of the contract. */
export function contractChangeableBy({ scope, caller: { organization = '' } }: Call): SQL | undefined {
  if (scope === 'any') return undefined
  const own = sql`(select id from parties where organization = ${organization})`
  return sql`(${contracts.accountId} in ${own} or exists (
    select from contract_buyers b where b.contract_id = ${contracts.id} and b.buyer_id in ${own}))`
}

/** The parties that a caller may name: those of its organization, or all that this administers. */
export type NameableScope = 'own' | 'administered'

/** Describes the parties that a caller may name, for the text of a field error. */
export const nameablePartiesText: Readonly<Record<NameableScope | 'any', Words>> = {
  own: { en: 'of your organization', da: 'i din organisation' },
  administered: {
    en: 'that belongs to your organization or was registered by it',
    da: 'fra din organisation eller oprettet af den'
  },
  any: { en: 'of this service', da: 'i denne tjeneste' }
}

/** Whether the caller may name this party. */
export function isNameable(call: Call, party: PartyRow, scope: NameableScope | undefined): boolean {
  if (scope === 'own') return party.organization === call.caller.organization
  return scope === undefined || administers(call, party)
}

/** SQL condition: the caller may see the contract; undefined when it may see all. */
export const contractVisibleTo = (
  { db }: { db: Queryable },
  { scope, caller: { organization = '' } }: Call
): SQL | undefined => (scope === 'any' ? undefined : contractSoldBy(db, organization))

/** SQL condition: a party of the organization is the seller of the contract. */
export const contractSoldBy = (db: Queryable, organization: string | Placeholder): SQL =>
  inArray(contracts.sellerId, organizationPartyIds(db, organization))

/** Subselect: ids of the parties of an organization. */
export const organizationPartyIds = (db: Queryable, organization: string | Placeholder) =>
  db.select({ id: parties.id }).from(parties).where(eq(parties.organization, organization))
