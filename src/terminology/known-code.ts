import type { CodeList } from '../db/json/column-serializers.js'
import { FieldErrors, problem } from '../platform/errors/problem.js'
import type { CodingInput } from '../platform/schemas/schemas.js'
import type { LocalValueSet } from './local-value-sets.js'
import type { Terminology } from './terminology.js'

/** The codes of a value set and the coding of each. */
export const codeListOf = (terminology: Terminology, set: LocalValueSet): CodeList => ({
  codes: terminology.codes(set),
  codingOf: (code) => terminology.coding(set, code)
})

/** The code that a field of a request stands for; one that its value set does not hold becomes a fault. */
export function knownCode(
  terminology: Terminology,
  faults: FieldErrors,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): string {
  const code = terminology.code(set, input)
  if (code === undefined)
    faults.add(problem, 'unknown-coding', pointer, `It must be one of ${terminology.codes(set).join(', ')}.`)
  return code ?? ''
}

/**
 * The same for a field that is judged alone.
 * @throws Problem `unknown-coding`.
 */
export function requireCode<C extends string>(
  terminology: Terminology,
  set: LocalValueSet,
  input: string | CodingInput,
  pointer: string
): C {
  const faults = new FieldErrors()
  const code = knownCode(terminology, faults, set, input, pointer)
  faults.check()
  return code as C
}

/**
 * The code that a query parameter names; undefined when it was not sent.
 * @throws Problem `invalid-query` when the value set does not hold it.
 */
export function queriedCode(
  terminology: Terminology,
  set: LocalValueSet,
  parameter: string,
  text: string | undefined
): string | undefined {
  if (text === undefined) return undefined
  const code = terminology.code(set, text)
  if (code === undefined)
    throw problem(
      'invalid-query',
      `Query parameter ${parameter} must be one of ${terminology.codes(set).join(', ')}.`
    )
  return code
}
