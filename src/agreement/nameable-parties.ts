import type { Actor } from '../platform/auth/actor.js'
import type { PartyRow } from './tables.js'
import { administers } from './visibility.js'

/** The parties that a caller may name: those of its organization, or all that this administers. */
export type NameableScope = 'own' | 'administered'

/** Describes the parties that a caller may name, for the text of a field error. */
export function nameablePartiesText(scope: NameableScope | undefined): string {
  if (scope === 'own') return 'of your organization'
  return scope === 'administered'
    ? 'that belongs to your organization or was registered by it'
    : 'of this service'
}

/** Whether the caller may name this party. */
export function isNameable(actor: Actor, party: PartyRow, scope: NameableScope | undefined): boolean {
  if (scope === 'own') return party.organization === actor.organization
  return scope === undefined || administers(actor, party)
}
