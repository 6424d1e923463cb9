import type { Actor } from '../platform/actor.js'
import { fewAtOnce } from '../platform/few-at-once.js'
import type { Coding, CodingInput } from '../platform/schemas.js'
import type { Ports } from '../ports.js'

interface Named {
  name: string
  value: CodingInput
}

/** Questions that one request may have under way at once: a few of the places, so that a bulk create leaves some to others. */
const few = 4

/**
 * Annotation values as the value sets of their names have them, in the same order; undefined for one that its set does not hold.
 * Each is judged once, however often it occurs.
 * @throws Problem `terminology-unavailable` for the first that cannot be judged; nothing is asked for the request any more then.
 */
export async function annotationValues(
  { terminology }: Ports,
  { deadline: { patience } }: Actor,
  named: readonly Named[]
): Promise<(Coding | undefined)[]> {
  const keys = named.map(keyOf)
  const distinct = new Map(named.map((each, at) => [keys[at], each]))
  const judged = await fewAtOnce({ few, patience }, [...distinct.values()], ({ name, value }, wanted) =>
    terminology.annotation(name, value, wanted)
  )
  const found = new Map([...distinct.keys()].map((key, at) => [key, judged[at]]))
  return keys.map((key) => found.get(key))
}

const keyOf = ({ name, value: { system, code } }: Named) => JSON.stringify([name, system, code])
