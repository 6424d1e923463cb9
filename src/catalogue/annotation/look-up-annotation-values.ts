import pMap from 'p-map'
import type { Call } from '../../platform/auth/call.js'
import { slotOwnerOf } from '../../platform/auth/caller.js'
import type { CodingInput } from '../../platform/schemas/input-schemas.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import type { Ports } from '../../ports.js'

interface NamedValue {
  name: string
  value: CodingInput
}

/**
 * Validations in flight per request: fewer than the server allows in total, so that others can
 * validate too.
 */
const MAX_CONCURRENT_VALIDATIONS = 4

/**
 * Looks up annotation values in the value sets of their names and returns them as codings, in the
 * same order; undefined for a value that is not in its set. Validates each distinct value once.
 * @throws Problem `terminology-unavailable` for the first value that cannot be validated. No
 *   further validation begins.
 */
export async function lookUpAnnotationValues(
  { terminology }: Ports,
  { caller, deadline: { signal } }: Call,
  values: readonly NamedValue[]
): Promise<(Coding | undefined)[]> {
  const keys = values.map(keyOf)
  const distinct = new Map(values.map((each, at) => [keys[at], each]))
  const owner = slotOwnerOf(caller)
  const validate = ({ name, value }: NamedValue) => terminology.validateAnnotation(name, value, signal, owner)
  const results = await pMap(distinct.values(), validate, { concurrency: MAX_CONCURRENT_VALIDATIONS })
  const codings = new Map([...distinct.keys()].map((key, at) => [key, results[at]]))
  return keys.map((key) => codings.get(key))
}

const keyOf = ({ name, value: { system, code } }: NamedValue) => JSON.stringify([name, system, code])
