import type { Problem } from '../../platform/errors/problem.js'
import { addTrace, changedNamesText, setLine } from '../change.js'
import { orderLineProblem } from '../line.texts.js'
import { type AgreedTime, changedTimeMembers, MAX_AGREED_DAYS } from '../model/agreed-time.js'
import { isClosed } from '../model/states.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

const DAY_MS = 86_400_000

/**
 * Changes the agreed time of a line, which the provider may do while the line is SUBMITTED. A line
 * that becomes UNFULFILLED loses its agreed time. Returns `not-your-move`, `order-closed`,
 * `line-not-submitted` and `invalid-period`.
 */
export function changeAgreedTime(patch: LinePatch): Problem | undefined {
  const { change, line, after, transition } = patch
  const requested = { agreedFrom: timeOf(after.agreedFrom), agreedTo: timeOf(after.agreedTo) }
  const [name] = changedTimeMembers(line, requested)
  const problem = name && (forbiddenChange(patch, `/${name}`) ?? periodProblem(requested))
  if (problem) return problem
  const time = transition?.to === 'UNFULFILLED' ? { agreedFrom: null, agreedTo: null } : requested
  const changed = changedTimeMembers(line, time)
  if (changed.length === 0) return
  setLine(change, line.id, time)
  addTrace(change, {
    code: 'delivery-time-changed',
    supplementaryText: changedNamesText(changed),
    orderLineId: line.id
  })
}

const timeOf = (text: string | null | undefined) => (text == null ? null : new Date(text))

function forbiddenChange(
  { change: { call, order }, line: { status } }: LinePatch,
  pointer: string
): Problem | undefined {
  if (call.caller.userType !== 'Provider')
    return orderProblem('not-your-move.member', pointer, { userType: 'Provider' })
  if (isClosed(order.status)) return orderProblem('order-closed.status', pointer, { status: order.status })
  if (status !== 'SUBMITTED') return orderLineProblem('line-not-submitted', pointer)
  return undefined
}

function periodProblem({ agreedFrom: from, agreedTo: to }: AgreedTime): Problem | undefined {
  if (!from && !to) return undefined
  if (!from) return orderLineProblem('invalid-period.incomplete', '/agreedFrom', { other: 'agreedTo' })
  if (!to) return orderLineProblem('invalid-period.incomplete', '/agreedTo', { other: 'agreedFrom' })
  const isValid = from < to && to.getTime() - from.getTime() <= MAX_AGREED_DAYS * DAY_MS
  return isValid
    ? undefined
    : orderLineProblem('invalid-period.agreedTo', '/agreedTo', { days: MAX_AGREED_DAYS })
}
