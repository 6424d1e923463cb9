import { and, arrayContains, eq, gte, lte, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/any-of.js'
import { canUse } from '../platform/auth/access.js'
import type { Actor } from '../platform/auth/actor.js'
import { mapYielding } from '../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../platform/errors/problem.js'
import { loadByUrl } from '../platform/rest/load-by-url.js'
import { printableText } from '../platform/util/printable-text.js'
import type { Ports } from '../ports.js'
import { partyRead } from './party.access.js'
import type { Role } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { partyKind } from './resources.js'
import { contracts, parties } from './tables.js'
import { filterAdministered } from './visibility.js'

export type PartyRow = typeof parties.$inferSelect

type LookupPorts = Pick<Ports, 'db' | 'references' | 'today'>

/**
 * The parties that a caller may name: those of its organization, or sellers that it administers.
 */
export type PartyReach = 'own' | 'administered'

/** The sellers whose catalogues a caller may change; undefined for all. */
export function sellerReach({ scope }: Actor): PartyReach | undefined {
  if (scope === 'any') return undefined
  return scope === 'administered' ? 'administered' : 'own'
}

/**
 * A reference to a party in a request, with the required role; `within` undefined allows all
 * parties.
 */
export interface PartyReference {
  pointer: string
  url: string
  role: Role
  within?: PartyReach | undefined
}

/**
 * Resolves the party references of a request with one query, in the same order. Adds a field error
 * for each invalid reference, and returns undefined for unknown parties and parties that the caller
 * may not name, without distinguishing them.
 */
export async function resolveParties(
  ports: LookupPorts,
  actor: Actor,
  errors: FieldErrors,
  wanted: readonly PartyReference[]
): Promise<(PartyRow | undefined)[]> {
  const urls = wanted.map(({ url }) => url)
  const found = await loadByUrl(ports.references, partyKind, urls, (ids) => findParties(ports.db, ids))
  const isWithin = await createScopeCheck(ports, actor, wanted, [...found.values()])
  return wanted.map(({ pointer, url, role, within }) => {
    const party = found.get(url)
    if (!party || !isWithin(party, within)) {
      errors.dangling(pointer, `It must be the URL of a party ${scopeText(within)}.`)
      return undefined
    }
    if (!party.allowedRoles.includes(role))
      errors.add(agreementProblem, 'wrong-role', pointer, `The party does not have the role ${role}.`)
    return party
  })
}

function scopeText(within: PartyReach | undefined): string {
  if (within === 'own') return 'of your organization'
  return within === 'administered'
    ? 'that your organization registered or has a contract with'
    : 'of this service'
}

/** Returns a predicate: the caller may name this party. */
async function createScopeCheck(
  ports: LookupPorts,
  actor: Actor,
  wanted: readonly { within?: PartyReach | undefined }[],
  found: readonly PartyRow[]
) {
  const ids = found.map(({ id }) => id)
  const isNeeded = wanted.some(({ within }) => within === 'administered')
  // Queried even when nothing was found, so that timing does not reveal parties the caller may not
  // name.
  const administered = isNeeded ? await filterAdministered(ports, actor, ids) : new Set()
  return ({ id, organization }: PartyRow, within: PartyReach | undefined): boolean => {
    if (within === 'own') return organization === actor.organization
    return within === 'administered' ? administered.has(id) : true
  }
}

/**
 * Whether the caller may see the name of a party: its own, or any with the permission to read
 * parties.
 */
const canSeeName = (actor: Actor, { organization }: PartyRow): boolean =>
  organization === actor.organization || canUse(actor, partyRead)

/** A reference to a party in a sheet, by URL or by name. */
export interface PartyName {
  pointer: string
  text: string
  role: Role
  within: PartyReach | undefined
}

/**
 * Resolves party references of a sheet, in the same order. A name must identify exactly one party
 * that has the role and that the caller may name; parties whose names the caller may see take
 * precedence. Adds a field error for each invalid reference, which reveals nothing of parties that
 * the caller may not see.
 */
export async function namedParties(
  ports: LookupPorts,
  actor: Actor,
  errors: FieldErrors,
  wanted: readonly PartyName[]
): Promise<(PartyRow | undefined)[]> {
  const names = [...new Set(wanted.map(({ text }) => text))]
  const ids = names.flatMap((text) => ports.references.id(partyKind, text) ?? [])
  const rows = await ports.db
    .select()
    .from(parties)
    .where(or(inIds(parties.id, ids), sql`btrim(${parties.name}) = any(${sql.param(names)}::text[])`))
  const isWithin = await createScopeCheck(ports, actor, wanted, rows)
  return mapYielding(wanted, ({ pointer, text, role, within }) => {
    const id = ports.references.id(partyKind, text)
    const found = rows.filter(
      (party) =>
        (id === undefined ? printableText(party.name) === text : party.id === id) &&
        party.allowedRoles.includes(role) &&
        isWithin(party, within)
    )
    const visible = found.filter((party) => canSeeName(actor, party))
    const matches = visible.length > 0 ? visible : found
    if (visible.length > 1)
      errors.add(
        agreementProblem,
        'ambiguous-party',
        pointer,
        'Several parties have this name. Write the URL of one of them.'
      )
    else if (matches.length !== 1)
      errors.dangling(
        pointer,
        `It must be the name or the URL of a party ${scopeText(within)}, with the role ${role}.`
      )
    return matches.length === 1 ? matches[0] : undefined
  })
}

/**
 * Returns the labels in a sheet of the parties that have a role and that the caller may see, by id:
 * the name, or the URL when the name is ambiguous or a sheet would change it.
 * @param own whether to return only parties of the caller's organization.
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
        own || !canUse(actor, partyRead) ? eq(parties.organization, actor.organization ?? '') : undefined
      )
    )
    .orderBy(parties.name, parties.id)
  const counts = new Map<string, number>()
  for (const { name } of rows) counts.set(printableText(name), (counts.get(printableText(name)) ?? 0) + 1)
  return new Map(
    rows.map(({ id, name }) => {
      const shown = printableText(name)
      const isUnchanged = shown !== '' && shown === name.replace(/^ +| +$/g, '')
      const isUnique = counts.get(shown) === 1
      const isUrl = references.id(partyKind, shown) !== undefined
      return [id, isUnchanged && isUnique && !isUrl ? shown : references.url(partyKind, id)]
    })
  )
}

/** Loads parties by id. */
export const findParties = (db: Queryable, ids: readonly string[]): Promise<PartyRow[]> =>
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

/** SQL condition: a contract is in force on a date. */
export const inForce = (date: string | Placeholder) =>
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

/** Subselect: ids of the parties of an organization. */
export const partiesOf = (db: Queryable, organization: string | Placeholder) =>
  db.select({ id: parties.id }).from(parties).where(eq(parties.organization, organization))
