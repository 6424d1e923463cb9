import { problem } from '../../platform/errors/problem.js'
import { type Operation, readOnlyProblem, writesTo } from '../../platform/json/json-patch.js'
import type { CodingInput } from '../../platform/schemas/input-schemas.js'
import { requireCode } from '../../terminology/known-code.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'

/**
 * The status that a JSON Patch requests, or undefined when the patch does not set one. Any
 * operation that writes to `/status` or `/status/code` requests a transition, even to the current
 * status.
 * @throws Problem `unknown-coding`, `read-only`.
 */
export function requestedStatus<C extends string>(
  terminology: Terminology,
  set: LocalValueSet,
  patch: readonly Operation[],
  before: { code: string },
  after: string | CodingInput
): C | undefined {
  const statusOperations = patch.filter((each) => writesTo(each, 'status'))
  if (statusOperations.length > 1)
    throw problem('read-only', {
      en: 'A JSON Patch can change the status only once.',
      da: 'En JSON Patch kan kun ændre status én gang.'
    })
  if (statusOperations.some((each) => /^\/status\/(?!code$)/.test(each.path)))
    throw readOnlyProblem('/status')
  const code = requireCode<C>(terminology, set, after, '/status')
  return statusOperations.length > 0 || code !== before.code ? code : undefined
}
