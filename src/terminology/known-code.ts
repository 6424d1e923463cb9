import type { CodingLookup } from '../db/json/column-serializers.js'
import type { Words } from '../platform/errors/language.js'
import { FieldErrors, problem } from '../platform/errors/problem.js'
import type { CodingInput } from '../platform/schemas/input-schemas.js'
import type { Coding } from '../platform/schemas/schemas.js'
import type { LocalValueSet } from './local-value-sets.js'
import type { Terminology } from './terminology.js'

/** The codes of a value set and the coding of each. */
export const codingLookupOf = (terminology: Terminology, set: LocalValueSet): CodingLookup => ({
  codes: terminology.codes(set),
  codingOf: (code) => terminology.coding(set, code)
})

/** The detail for a code that is none of these. */
export const unknownCodeDetail = (codes: readonly string[]): Words => ({
  en: `It must be one of ${codes.join(', ')}.`,
  da: `Det skal være en af ${codes.join(', ')}.`
})

/** The code of a field. Adds a field error if its value set does not contain it. */
export function resolveCode(
  terminology: Terminology,
  errors: FieldErrors,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): string {
  const code = terminology.code(set, input)
  if (code === undefined) {
    const known = terminology.codes(set).map((each) => terminology.coding(set, each))
    errors.add(problem, 'unknown-coding', pointer, unknownCoding(known, input))
  }
  return code ?? ''
}

/** Codes that the text of an error may list. */
const MAX_LISTED_CODES = 30

/** What a coding must be that is not in its value set: which system if only that is wrong. */
export function unknownCoding(known: readonly Coding[], input: string | CodingInput): Words {
  const code = (typeof input === 'string' ? input : input.code).toLowerCase()
  const alike = known.find((each) => each.code.toLowerCase() === code)
  if (alike)
    return { en: `It must have the system ${alike.system}.`, da: `Det skal have systemet ${alike.system}.` }
  if (known.length === 0 || known.length > MAX_LISTED_CODES)
    return { en: 'It must be in its value set.', da: 'Det skal være i sit kodesæt.' }
  return unknownCodeDetail(known.map((each) => each.code))
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
