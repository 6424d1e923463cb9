import { and, arrayContains, eq, inArray, or, sql } from 'drizzle-orm'
import { inIds } from '../db/sql/conditions.js'
import { isAuthorized } from '../platform/auth/access.js'
import type { Call } from '../platform/auth/call.js'
import { mapYielding } from '../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../platform/errors/problem.js'
import { withoutControlCharacters } from '../platform/util/without-control-characters.js'
import type { Ports } from '../ports.js'
import { partyRead } from './party.access.js'
import type { Role } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { partyResource } from './resources.js'
import { type PartyRow, parties } from './tables.js'
import { administeredPartyIds, isNameable, type NameableScope, nameablePartiesText } from './visibility.js'

/* Parties in sheets, where people write names instead of URLs. */

/**
 * Whether the caller may see the name of a party: its own, or any with the permission to read
 * parties.
 */
const canSeeName = (call: Call, { organization }: PartyRow): boolean =>
  organization === call.caller.organization || isAuthorized(call.caller, partyRead)

/** A reference to a party in a sheet, by URL or by name. */
export interface PartyNameReference {
  pointer: string
  text: string
  role: Role
  scope: NameableScope | undefined
}

/**
 * Resolves party references of a sheet, in the same order. A name must identify exactly one party
 * that has the role and that the caller may name; parties whose names the caller may see take
 * precedence. Adds a field error for each invalid reference, which reveals nothing of parties that
 * the caller may not see.
 */
export async function resolvePartiesByName(
  ports: Pick<Ports, 'db' | 'resourceUrls'>,
  call: Call,
  errors: FieldErrors,
  refs: readonly PartyNameReference[]
): Promise<(PartyRow | undefined)[]> {
  const names = [...new Set(refs.map(({ text }) => text))]
  const ids = names.flatMap((text) => ports.resourceUrls.id(partyResource, text) ?? [])
  const rows = await ports.db
    .select()
    .from(parties)
    .where(or(inIds(parties.id, ids), sql`btrim(${parties.name}) = any(${sql.param(names)}::text[])`))
  return mapYielding(refs, ({ pointer, text, role, scope }) => {
    const id = ports.resourceUrls.id(partyResource, text)
    const found = rows.filter(
      (party) =>
        (id === undefined ? withoutControlCharacters(party.name) === text : party.id === id) &&
        party.allowedRoles.includes(role) &&
        isNameable(call, party, scope)
    )
    const visible = found.filter((party) => canSeeName(call, party))
    const matches = visible.length > 0 ? visible : found
    if (visible.length > 1)
      errors.add(
        agreementProblem,
        'ambiguous-party',
        pointer,
        'Several parties have this name. Write the URL of one of them.'
      )
    else if (matches.length !== 1)
      errors.addUnresolvedReference(
        pointer,
        `It must be the name or the URL of a party ${nameablePartiesText(scope)}, with the role ${role}.`
      )
    return matches.length === 1 ? matches[0] : undefined
  })
}

/**
 * Returns the labels in a sheet of the parties that have a role and that the caller may see, by id:
 * the name, or the URL when the name is ambiguous or a sheet would change it.
 * @param scope the parties to return; undefined returns all.
 */
export async function partyLabels(
  { db, resourceUrls }: Pick<Ports, 'db' | 'resourceUrls'>,
  call: Call,
  role: Role,
  scope: NameableScope | undefined
): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: parties.id, name: parties.name })
    .from(parties)
    .where(
      and(
        arrayContains(parties.allowedRoles, [role]),
        scope === 'own' || !isAuthorized(call.caller, partyRead)
          ? eq(parties.organization, call.caller.organization ?? '')
          : scope && inArray(parties.id, administeredPartyIds(db, call))
      )
    )
    .orderBy(parties.name, parties.id)
  const counts = new Map<string, number>()
  for (const { name } of rows)
    counts.set(withoutControlCharacters(name), (counts.get(withoutControlCharacters(name)) ?? 0) + 1)
  return new Map(
    rows.map(({ id, name }) => {
      const shown = withoutControlCharacters(name)
      const isUnchanged = shown !== '' && shown === name.replace(/^ +| +$/g, '')
      const isUnique = counts.get(shown) === 1
      const isUrl = resourceUrls.id(partyResource, shown) !== undefined
      return [id, isUnchanged && isUnique && !isUrl ? shown : resourceUrls.url(partyResource, id)]
    })
  )
}
