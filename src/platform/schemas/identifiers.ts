import { normalizeNumber } from '../text/numbers.js'
import type { Identifier } from './schemas.js'

/** The form of identifiers in storage and responses: absent members become null. */
export function identifiersOf(
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
): Identifier[] {
  return (input ?? []).map(({ system, value, assigner }) => ({
    system: normalizeNumber(system),
    value: normalizeNumber(value),
    assigner: assigner ?? null
  }))
}
