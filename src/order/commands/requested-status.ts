import { problem } from '../../platform/errors/problem.js'
import { type Operation, readOnly, writesTo } from '../../platform/json/json-patch.js'
import type { CodingInput } from '../../platform/schemas/schemas.js'
import { requireCode } from '../../terminology/known-code.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'

/**
 * The status that a JSON Patch asks for; undefined when it leaves the status alone. Any operation that writes at `/status` or
 * `/status/code` asks for a move, also to the status that is there.
 * @throws Problem `unknown-coding`, `read-only`.
 */
export function requestedStatus<C extends string>(
  terminology: Terminology,
  set: LocalValueSet,
  patch: readonly Operation[],
  before: { code: string },
  after: string | CodingInput
): C | undefined {
  const moves = patch.filter((each) => writesTo(each, 'status'))
  if (moves.length > 1) throw problem('read-only', 'Change the status once in a JSON Patch.')
  if (moves.some((each) => /^\/status\/(?!code$)/.test(each.path))) throw readOnly('/status')
  const code = requireCode<C>(terminology, set, after, '/status')
  return moves.length > 0 || code !== before.code ? code : undefined
}
