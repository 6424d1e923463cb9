import type { FieldErrors } from '../platform/errors/field-errors.js'
import { fill, inEachLanguage, type Language, type LocalizedText } from '../platform/errors/language.js'
import type { Problem } from '../platform/errors/problem.js'
import type { CodingInput } from '../platform/schemas/input-schemas.js'
import type { DisplayedCoding } from './concepts.js'
import type { LocalValueSet } from './local-value-sets.js'
import type { Terminology } from './terminology.js'
import { terminologyProblem, terminologyTexts } from './texts.js'
import type { ValueSet } from './value-set.js'

/** The code of a field. Adds a field error if the value set does not contain the code. */
export function resolveCode(
  terminology: Terminology,
  errors: FieldErrors,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): string {
  const code = terminology.code(set, input)
  if (code === undefined) errors.add(unknownCoding(terminology.localSet(set), input, pointer))
  return code ?? ''
}

/** Maximum number of codes that the text of an error lists. */
const MAX_LISTED_CODES = 30

/**
 * The problem of a coding that is not in its value set: of its system if only the system is wrong.
 */
export function unknownCoding(set: ValueSet, input: string | CodingInput, pointer: string): Problem {
  const code = (typeof input === 'string' ? input : input.code).toLowerCase()
  const alike = set.codings.find((each) => each.code.toLowerCase() === code)
  return alike
    ? terminologyProblem('unknown-coding.otherSystem', pointer, { system: alike.system })
    : terminologyProblem('unknown-coding.notInSet', pointer, { codes: oneOfSet(set) })
}

/** The codes of a value set with their displays, and its URL, as a part of a sentence. */
export const oneOfSet = ({ url, displayed }: ValueSet): LocalizedText =>
  displayed.length === 0 || displayed.length > MAX_LISTED_CODES
    ? fill(terminologyTexts.codeOfSet, { url })
    : fill(terminologyTexts.oneOfSet, {
        codes: inEachLanguage((language) => codesIn(displayed, language)),
        url
      })

const codesIn = (codings: readonly DisplayedCoding[], language: Language) =>
  codings
    .map(({ code, display, displays }) => {
      const text = displays[language] ?? display
      return text ? `${code} (${text})` : code
    })
    .join(', ')
