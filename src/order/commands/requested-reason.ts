import { isDeepStrictEqual } from 'node:util'
import { fieldProblem, problem } from '../../platform/errors/problem.js'
import { type Operation, writesTo } from '../../platform/json/json-patch.js'
import { requireCode } from '../../terminology/known-code.js'
import type { Terminology } from '../../terminology/terminology.js'
import type { TransitionReason } from '../change/transition.js'
import { orderProblem } from '../model/problems.js'
import type { StatusReason, StatusReasonInput } from '../model/status-reason.schemas.js'

const pointer = '/statusReason'

/** The reasons before and after a JSON Patch. */
interface GivenReasons {
  before: StatusReason | null | undefined
  after: StatusReasonInput | undefined
}

/**
 * The reason that a JSON Patch gives for the transition that it requests, or undefined when it
 * gives none.
 * @param target the requested status, if there is one.
 * @param reasoned the statuses that a reason may be given for.
 * @throws Problem `reason-not-allowed`, `unknown-coding`, `invalid-result`.
 */
export function requestedReason<S extends string>(
  terminology: Terminology,
  patch: readonly Operation[],
  { before = null, after = null }: GivenReasons,
  target: S | undefined,
  reasoned: readonly S[]
): TransitionReason | undefined {
  const isWritten = patch.some((each) => writesTo(each, 'statusReason')) || !isDeepStrictEqual(after, before)
  const isUseless = after === null && (target !== undefined || before === null)
  if (!isWritten || isUseless) return undefined
  if (after === null || target === undefined || !reasoned.includes(target))
    throw fieldProblem(orderProblem, 'reason-not-allowed', pointer, {
      en: `A reason is added by the JSON Patch that changes the status to ${reasoned.join(' or ')}. It cannot change later.`,
      da: `En grund tilføjes af den JSON Patch, der skifter status til ${reasoned.join(' eller ')}. Den kan ikke ændres senere.`
    })
  const text = after.text ?? null
  if (after.code == null) {
    if (!text)
      throw fieldProblem(problem, 'invalid-result', pointer, {
        en: 'It must have a code, a text or both.',
        da: 'Det skal have en kode, en tekst eller begge.'
      })
    return { code: null, display: null, text }
  }
  const code = requireCode(terminology, 'order-status-reason', after.code, `${pointer}/code`)
  return { code, display: terminology.coding('order-status-reason', code).display ?? code, text }
}
