import type { CodingLookup } from '../db/json/column-serializers.js'
import { FieldErrors, problem } from '../platform/errors/problem.js'
import type { CodingInput } from '../platform/schemas/input-schemas.js'
import type { LocalValueSet } from './local-value-sets.js'
import type { Terminology } from './terminology.js'

/** The codes of a value set and the coding of each. */
export const codingLookupOf = (terminology: Terminology, set: LocalValueSet): CodingLookup => ({
  codes: terminology.codes(set),
  codingOf: (code) => terminology.coding(set, code)
})

/** The detail for a code that is none of these. */
export const unknownCodeDetail = (codes: readonly string[]) => `It must be one of ${codes.join(', ')}.`

/** The code of a field. Adds a field error if its value set does not contain it. */
export function resolveCode(
  terminology: Terminology,
  errors: FieldErrors,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): string {
  const code = terminology.code(set, input)
  if (code === undefined)
    errors.add(problem, 'unknown-coding', pointer, unknownCodeDetail(terminology.codes(set)))
  return code ?? ''
}

/**
 * The code of a single field.
 * @throws Problem `unknown-coding`.
 */
export function requireCode<C extends string>(
  terminology: Terminology,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): C {
  const errors = new FieldErrors()
  const code = resolveCode(terminology, errors, set, input, pointer)
  errors.check()
  return code as C
}
