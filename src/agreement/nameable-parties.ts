import type { Actor } from '../platform/auth/actor.js'
import type { Ports } from '../ports.js'
import type { PartyRow } from './tables.js'
import { filterAdministered } from './visibility.js'

/**
 * The parties that a caller may name: those of its organization, or sellers that it administers.
 */
export type NameableScope = 'own' | 'administered'

/** Describes the parties that a caller may name, for the text of a field error. */
export function nameablePartiesText(scope: NameableScope | undefined): string {
  if (scope === 'own') return 'of your organization'
  return scope === 'administered'
    ? 'that your organization registered or has a contract with'
    : 'of this service'
}

/** Returns a predicate: the caller may name this party. */
export async function createNameableCheck(
  ports: Pick<Ports, 'db' | 'today'>,
  actor: Actor,
  refs: readonly { scope?: NameableScope | undefined }[],
  found: readonly PartyRow[]
) {
  const ids = found.map(({ id }) => id)
  const isNeeded = refs.some(({ scope }) => scope === 'administered')
  // Queried even when nothing was found, so that timing does not reveal parties the caller may not
  // name.
  const administered = isNeeded ? await filterAdministered(ports, actor, ids) : new Set()
  return ({ id, organization }: PartyRow, scope: NameableScope | undefined): boolean => {
    if (scope === 'own') return organization === actor.organization
    return scope === 'administered' ? administered.has(id) : true
  }
}
