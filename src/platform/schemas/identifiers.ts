import type { Identifier } from './schemas.js'

/** Completes identifiers for storage and responses: absent members become null. */
export function identifiersOf(
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
): Identifier[] {
  return (input ?? []).map(({ system, value, assigner }) => ({ system, value, assigner: assigner ?? null }))
}
