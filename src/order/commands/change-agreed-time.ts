import { fieldProblem, problem } from '../../platform/errors/problem.js'
import { addTrace, type OrderChange } from '../change/change-order.js'
import { type AgreedTime, changedTimeMembers, MAX_AGREED_DAYS } from '../model/agreed-time.js'
import { isClosed } from '../model/order.state.js'
import type { PatchedOrderLine } from '../model/order-line.schemas.js'
import type { LineStatus } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import type { SnapshotLine } from '../store/load-order.js'

const DAY_MS = 86_400_000

/**
 * Changes the agreed time of a line to the result of a JSON Patch, if it differs. A line that
 * becomes UNFULFILLED loses it.
 * @param target the status that the JSON Patch moves the line to.
 * @returns the line as it is now.
 * @throws Problem `not-your-move`, `order-closed`, `line-not-submitted`, `invalid-period`.
 */
export function changeAgreedTime(
  change: OrderChange,
  line: SnapshotLine,
  after: Pick<PatchedOrderLine, 'agreedFrom' | 'agreedTo'>,
  target: LineStatus | undefined
): SnapshotLine {
  const requested = { agreedFrom: timeOf(after.agreedFrom), agreedTo: timeOf(after.agreedTo) }
  const [pointer] = changedTimeMembers(line, requested)
  if (pointer !== undefined) {
    assertMayChange(change, line, `/${pointer}`)
    assertPeriod(requested)
  }
  const time = target === 'UNFULFILLED' ? { agreedFrom: null, agreedTo: null } : requested
  const changed = changedTimeMembers(line, time)
  if (changed.length === 0) return line
  const changedLine = { ...line, ...time }
  change.lines = change.lines.map((each) => (each.id === line.id ? changedLine : each))
  addTrace(change, {
    text: 'Delivery time changed.',
    supplementaryText: `Changed: ${changed.join(', ')}.`,
    orderLineId: line.id
  })
  return changedLine
}

const timeOf = (text: string | null | undefined) => (text == null ? null : new Date(text))

function assertMayChange({ call, order }: OrderChange, { status }: SnapshotLine, pointer: string): void {
  const refusal = (code: Parameters<typeof orderProblem>[0], detail: string) =>
    fieldProblem(orderProblem, code, pointer, detail)
  if (call.caller.userType !== 'Provider')
    throw refusal('not-your-move', 'Only Provider can change the agreed time of an order line.')
  if (isClosed(order.status))
    throw refusal(
      'order-closed',
      `The order is ${order.status}. The agreed times of its lines can no longer change.`
    )
  if (status !== 'SUBMITTED')
    throw refusal(
      'line-not-submitted',
      `The order line is ${status}. Its agreed time can only change while it is SUBMITTED.`
    )
}

function assertPeriod({ agreedFrom: from, agreedTo: to }: AgreedTime): void {
  if (!from && !to) return
  const refusal = (pointer: string, detail: string) =>
    fieldProblem(problem, 'invalid-period', pointer, detail)
  if (!from) throw refusal('/agreedFrom', 'Send agreedFrom with agreedTo, or remove both.')
  if (!to) throw refusal('/agreedTo', 'Send agreedTo with agreedFrom, or remove both.')
  if (from >= to) throw refusal('/agreedTo', 'agreedTo must be after agreedFrom.')
  if (to.getTime() - from.getTime() > MAX_AGREED_DAYS * DAY_MS)
    throw refusal('/agreedTo', `agreedTo must be at most ${MAX_AGREED_DAYS} days after agreedFrom.`)
}
