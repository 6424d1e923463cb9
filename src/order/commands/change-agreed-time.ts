import type { Words } from '../../platform/errors/language.js'
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
  const refusal = (code: Parameters<typeof orderProblem>[0], detail: Words) =>
    fieldProblem(orderProblem, code, pointer, detail)
  if (call.caller.userType !== 'Provider')
    throw refusal('not-your-move', {
      en: 'Only Provider can change the agreed time of an order line.',
      da: 'Kun Provider kan ændre det aftalte tidspunkt for en linje.'
    })
  if (isClosed(order.status))
    throw refusal('order-closed', {
      en: `The order is ${order.status}. The agreed times of its lines can no longer change.`,
      da: `Bestillingen er ${order.status}. Linjernes aftalte tidspunkter kan ikke længere ændres.`
    })
  if (status !== 'SUBMITTED')
    throw refusal('line-not-submitted', {
      en: `The order line is ${status}. Its agreed time can only change while it is SUBMITTED.`,
      da: `Linjen er ${status}. Det aftalte tidspunkt kan kun ændres, mens den er SUBMITTED.`
    })
}

function assertPeriod({ agreedFrom: from, agreedTo: to }: AgreedTime): void {
  if (!from && !to) return
  const refusal = (pointer: string, detail: Words) => fieldProblem(problem, 'invalid-period', pointer, detail)
  if (!from)
    throw refusal('/agreedFrom', {
      en: 'It must be sent with agreedTo, or both removed.',
      da: 'Det skal sendes sammen med agreedTo, eller begge fjernes.'
    })
  if (!to)
    throw refusal('/agreedTo', {
      en: 'It must be sent with agreedFrom, or both removed.',
      da: 'Det skal sendes sammen med agreedFrom, eller begge fjernes.'
    })
  if (from >= to)
    throw refusal('/agreedTo', { en: 'It must be after agreedFrom.', da: 'Det skal være efter agreedFrom.' })
  if (to.getTime() - from.getTime() > MAX_AGREED_DAYS * DAY_MS)
    throw refusal('/agreedTo', {
      en: `It must be at most ${MAX_AGREED_DAYS} days after agreedFrom.`,
      da: `Det må højst være ${MAX_AGREED_DAYS} dage efter agreedFrom.`
    })
}
