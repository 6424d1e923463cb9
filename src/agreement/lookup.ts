import { and, arrayContains, eq, gte, lte, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
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
import { amongAdministered } from './visibility.js'

export type PartyRow = typeof parties.$inferSelect

type Looking = Pick<Ports, 'db' | 'references' | 'today'>

/** Which parties may be named: those of the caller's organization, or sellers that it registered or has a contract with. */
export type PartyReach = 'own' | 'administered'

/** Which sellers a caller may name whose catalogues it changes; any where it is undefined. */
export function sellerReach({ scope }: Actor): PartyReach | undefined {
  if (scope === 'any') return undefined
  return scope === 'administered' ? 'administered' : 'own'
}

/** A reference to a party in a request: where it stands, the role it needs, and which parties may be named, where not all may. */
export interface PartyReference {
  pointer: string
  url: string
  role: Role
  within?: PartyReach | undefined
}

/**
 * Finds the parties that a request refers to, with one query. What is wrong with a reference becomes a fault: a party that
 * the caller may not name is reported like one that is not there. The answer is in the order of the references.
 */
export async function resolveParties(
  ports: Looking,
  actor: Actor,
  faults: FieldErrors,
  wanted: readonly PartyReference[]
): Promise<(PartyRow | undefined)[]> {
  const urls = wanted.map(({ url }) => url)
  const found = await loadByUrl(ports.references, partyKind, urls, (ids) => findParties(ports.db, ids))
  const isWithin = await reachOf(ports, actor, wanted, [...found.values()])
  return wanted.map(({ pointer, url, role, within }) => {
    const party = found.get(url)
    if (!party || !isWithin(party, within)) {
      faults.dangling(pointer, `It must be the URL of a party ${whose(within)}.`)
      return undefined
    }
    if (!party.allowedRoles.includes(role))
      faults.add(agreementProblem, 'wrong-role', pointer, `The party does not have the role ${role}.`)
    return party
  })
}

function whose(within: PartyReach | undefined): string {
  if (within === 'own') return 'of your organization'
  return within === 'administered' ? 'that your organization registered or has a contract with' : 'here'
}

/** Tells which of these parties the caller may name. */
async function reachOf(
  ports: Looking,
  actor: Actor,
  wanted: readonly { within?: PartyReach | undefined }[],
  found: readonly PartyRow[]
) {
  const ids = found.map(({ id }) => id)
  const isAsked = wanted.some(({ within }) => within === 'administered')
  // Asked also where nothing was found: that takes as long as what is there and out of reach.
  const administered = isAsked ? await amongAdministered(ports, actor, ids) : new Set()
  return ({ id, organization }: PartyRow, within: PartyReach | undefined): boolean => {
    if (within === 'own') return organization === actor.organization
    return within === 'administered' ? administered.has(id) : true
  }
}

/** Whether the caller may see what a party is called: its own, and with the permission to read parties every one. */
const isNamedTo = (actor: Actor, { organization }: PartyRow): boolean =>
  organization === actor.organization || canUse(actor, partyRead)

/** A party as a sheet calls it: by its URL or by its name. */
export interface PartyName {
  pointer: string
  text: string
  role: Role
  within: PartyReach | undefined
}

/**
 * Finds parties by what a sheet calls them, in the order given. A name counts where one party alone that has the role, and that the
 * caller may name, goes by it; one that the caller may see counts before others. What is wrong becomes a fault, which tells nothing
 * of parties that the caller may not see.
 */
export async function namedParties(
  ports: Looking,
  actor: Actor,
  faults: FieldErrors,
  wanted: readonly PartyName[]
): Promise<(PartyRow | undefined)[]> {
  const names = [...new Set(wanted.map(({ text }) => text))]
  const ids = names.flatMap((text) => ports.references.id(partyKind, text) ?? [])
  const rows = await ports.db
    .select()
    .from(parties)
    .where(or(inIds(parties.id, ids), sql`btrim(${parties.name}) = any(${sql.param(names)}::text[])`))
  const isWithin = await reachOf(ports, actor, wanted, rows)
  return mapYielding(wanted, ({ pointer, text, role, within }) => {
    const id = ports.references.id(partyKind, text)
    const found = rows.filter(
      (party) =>
        (id === undefined ? printableText(party.name) === text : party.id === id) &&
        party.allowedRoles.includes(role) &&
        isWithin(party, within)
    )
    const seen = found.filter((party) => isNamedTo(actor, party))
    const meant = seen.length > 0 ? seen : found
    if (seen.length > 1)
      faults.add(
        agreementProblem,
        'ambiguous-party',
        pointer,
        'Several parties go by this name: write the URL of one.'
      )
    else if (meant.length !== 1)
      faults.dangling(
        pointer,
        `It must be the name or the URL of a party ${whose(within)}, with the role ${role}.`
      )
    return meant.length === 1 ? meant[0] : undefined
  })
}

/**
 * What a sheet calls the parties that have a role and that the caller may see, by their ids: by name, or by URL where several have
 * the name or a sheet would change it.
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
        own || !canUse(actor, partyRead) ? eq(parties.organization, actor.organization ?? '') : undefined
      )
    )
    .orderBy(parties.name, parties.id)
  const bearers = new Map<string, number>()
  for (const { name } of rows) bearers.set(printableText(name), (bearers.get(printableText(name)) ?? 0) + 1)
  return new Map(
    rows.map(({ id, name }) => {
      const shown = printableText(name)
      const isKept = shown !== '' && shown === name.replace(/^ +| +$/g, '')
      const isClear = bearers.get(shown) === 1
      const isUrl = references.id(partyKind, shown) !== undefined
      return [id, isKept && isClear && !isUrl ? shown : references.url(partyKind, id)]
    })
  )
}

/** The parties of these ids. */
export const findParties = (db: Queryable, ids: readonly string[]): Promise<PartyRow[]> =>
  db.select().from(parties).where(inIds(parties.id, ids))

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
