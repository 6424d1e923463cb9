import { and, arrayContains, eq, inArray, or, sql } from 'drizzle-orm'
import { inIds } from '../db/sql/conditions.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'
import { mapYielding } from '../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import type { Problem } from '../platform/errors/problem.js'
import { searchText } from '../platform/text/search-text.js'
import { withoutControlCharacters } from '../platform/text/without-control-characters.js'
import type { Ports } from '../ports.js'
import { partyRead } from './agreement.access.js'
import { isNameable, type NameableScope, selectParties } from './lookup.js'
import { nearestText } from './nearest.js'
import type { Role } from './party.schemas.js'
import { partyResource } from './resources.js'
import { type PartyRow, parties } from './tables.js'
import { agreementProblem, nameableTexts, roleNames } from './texts.js'
import { administeredPartyIds } from './visibility.js'

/* Parties in sheets, in which users write names instead of URLs. */

/**
 * Whether the caller may see the name of a party: a party of the caller's organization or, with the
 * permission to read parties, any party.
 */
const canSeeName = (call: Call, { organization }: PartyRow): boolean =>
  organization === call.caller.organization || isAuthorized(call.caller, partyRead)

/** A reference to a party in a sheet, by URL or by name. */
interface PartyNameReference {
  pointer: string
  text: string
  role: Role
  scope: NameableScope | undefined
}

/** Maximum number of unknown names of a sheet for which a similar name is searched. */
const MAX_SUGGESTIONS = 20

/**
 * Resolves party references of a sheet, in the same order. A name must identify exactly one party
 * that has the role and that the caller may name. Parties whose names the caller may see take
 * precedence; their names may differ in case and spaces. Adds a field error for each invalid
 * reference, without disclosing parties that the caller may not see.
 */
export async function resolvePartiesByName(
  ports: Pick<Ports, 'db' | 'resourceUrls'>,
  call: Call,
  errors: FieldErrors,
  refs: readonly PartyNameReference[]
): Promise<(PartyRow | undefined)[]> {
  const names = [...new Set(refs.map(({ text }) => text))]
  const ids = names.flatMap((text) => ports.resourceUrls.id(partyResource, text) ?? [])
  const rows = await selectParties(ports.db).where(
    or(inIds(parties.id, ids), sql`${simplifiedName} = any(${sql.param(names.map(searchName))}::text[])`)
  )
  const found = await mapYielding(refs, (ref) =>
    matchesOf(call, ref, rows, ports.resourceUrls.id(partyResource, ref.text))
  )
  const suggestions = new Map<string, string | undefined>()
  for (const [at, ref] of refs.entries()) {
    const { pointer, text, role, scope } = ref
    const matches = found[at] ?? []
    if (matches.length === 1) continue
    if (matches.length > 1) {
      errors.add(agreementProblem('ambiguous-party', pointer))
      continue
    }
    const key = `${role} ${scope} ${text}`
    if (!suggestions.has(key) && suggestions.size < MAX_SUGGESTIONS)
      suggestions.set(key, await nearestText(text, (await partyLabels(ports, call, role, scope)).values()))
    errors.add(unknownParty(ref, suggestions.get(key)))
  }
  return found.map((matches) => (matches.length === 1 ? matches[0] : undefined))
}

const simplifiedName = sql`fold_text(regexp_replace(btrim(${parties.name}), '[[:space:]]+', ' ', 'g'))`
const withSingleSpaces = (text: string) => withoutControlCharacters(text).replace(/\s+/g, ' ')
const searchName = (text: string) => searchText(withSingleSpaces(text))

/** The parties that match a reference. All have the role, and the caller may name them. */
function matchesOf(
  call: Call,
  { text, role, scope }: PartyNameReference,
  rows: readonly PartyRow[],
  id: string | undefined
): PartyRow[] {
  const nameable = rows.filter((party) => party.allowedRoles.includes(role) && isNameable(call, party, scope))
  const visible = nameable.filter((party) => canSeeName(call, party))
  const isMeant = (party: PartyRow) =>
    id === undefined ? withoutControlCharacters(party.name) === text : party.id === id
  const simplified = withSingleSpaces(text).toLowerCase()
  const isAlike = ({ name }: PartyRow) => withSingleSpaces(name).toLowerCase() === simplified
  const exact = visible.filter(isMeant)
  if (exact.length > 0) return exact
  const hidden = nameable.filter(isMeant)
  if (hidden.length > 0) return hidden.length === 1 ? hidden : []
  return visible.filter(isAlike)
}

function unknownParty(
  { pointer, role: code, scope }: PartyNameReference,
  suggestion: string | undefined
): Problem {
  const [which, role] = [nameableTexts[scope ?? 'any'], roleNames[code]]
  return suggestion === undefined
    ? agreementProblem('dangling-reference.partyName', pointer, { which, role })
    : agreementProblem('dangling-reference.similarPartyName', pointer, { which, role, suggestion })
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
    .orderBy(sql`sort_key(${parties.name}) collate "C"`, parties.id)
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
