import pMap from 'p-map'
import type { Actor } from '../../platform/auth/actor.js'
import type { Coding, CodingInput } from '../../platform/schemas/schemas.js'
import type { Ports } from '../../ports.js'

interface Named {
  name: string
  value: CodingInput
}

/** Validations that one request may have in flight: fewer than the server allows, so that others can validate too. */
const CONCURRENCY = 4

/**
 * Annotation values as the value sets of their names have them, in the same order; undefined for one that its set does not hold.
 * Each is judged once, however often it occurs.
 * @throws Problem `terminology-unavailable` for the first that cannot be judged; nothing is asked for the request any more then.
 */
export async function validateAnnotationValues(
  { terminology }: Ports,
  { deadline: { patience } }: Actor,
  named: readonly Named[]
): Promise<(Coding | undefined)[]> {
  const keys = named.map(keyOf)
  const distinct = new Map(named.map((each, at) => [keys[at], each]))
  const failure = new AbortController()
  const signal = AbortSignal.any([patience, failure.signal])
  const validate = ({ name, value }: Named) => terminology.validateAnnotation(name, value, signal)
  const judged = await pMap(distinct.values(), validate, { concurrency: CONCURRENCY }).catch((cause) => {
    failure.abort()
    throw cause
  })
  const found = new Map([...distinct.keys()].map((key, at) => [key, judged[at]]))
  return keys.map((key) => found.get(key))
}

const keyOf = ({ name, value: { system, code } }: Named) => JSON.stringify([name, system, code])
