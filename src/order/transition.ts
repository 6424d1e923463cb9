import { addTrace, changedValueText, type OrderChange, setAwaiting, setLine } from './change.js'
import { applyFulfilment } from './fulfilment.js'
import {
  allowedLineStatuses,
  allowedStatuses,
  isWithSeller,
  type LineStatus,
  lineProblem,
  lineStatusAfter,
  type OrderStatus,
  orderStatusAfter,
  orderTransitions,
  userTypeOfLineTransition
} from './model/states.js'
import type { SnapshotLine } from './store/load-order.js'
import { orderProblem, orderTexts } from './texts.js'

/*
 * The only module that changes the status of an order or an order line, always with its trace line.
 * The save writes both in one statement.
 */

/**
 * Why a status changes. Only the display of the code is written to the trace, which cannot be
 * erased.
 */
export interface TransitionReason {
  code: string | null
  display: string | null
  /** This text may be about the patient. */
  text: string | null
}

/**
 * Changes the status of an order and of its open lines. The order gets the reason; its lines get no
 * reason.
 * @throws Problem `illegal-transition`, `not-your-move`, `no-open-lines`, `unfulfilled-lines`,
 * `delivered-lines`.
 */
export function transitionOrder(change: OrderChange, to: OrderStatus, reason?: TransitionReason): void {
  const { status: from } = change.order
  const { userType } = change.call.caller
  const by = orderTransitions[from][to]
  if (by === undefined) {
    const allowed = listed(allowedStatuses(from, change.lines, userType))
    throw orderProblem('illegal-transition.order', null, { from, to, allowed })
  }
  if (by !== userType) throw orderProblem('not-your-move.status', null, { userType: by, from, to })
  const problemName = lineProblem(to, change.lines)
  if (problemName) throw orderProblem(problemName)
  setStatus(change, to, reason)
  for (const line of change.lines) {
    const next = lineStatusAfter(to, line.status)
    if (next) setLineStatus(change, line, next)
  }
}

/**
 * Changes the status of an order line. {@link closeWithoutOpenLines} then changes the status of its
 * order.
 * @throws Problem `illegal-transition`, `not-your-move`.
 */
export function transitionLine(
  change: OrderChange,
  line: SnapshotLine,
  to: LineStatus,
  reason?: TransitionReason
): void {
  const { status } = change.order
  const { status: from } = line
  const { userType } = change.call.caller
  const by = userTypeOfLineTransition(status, from, to)
  if (by === undefined) {
    const allowed = listed(allowedLineStatuses(status, from, userType))
    throw orderProblem('illegal-transition.line', null, { from, to, allowed })
  }
  if (by !== userType) throw orderProblem('not-your-move.status', null, { userType: by, from, to })
  setLineStatus(change, line, to, reason)
}

/** Closes an order that is with the seller and has no open line. The order gets no reason. */
export function closeWithoutOpenLines(change: OrderChange): void {
  const next = isWithSeller(change.order.status) ? orderStatusAfter(change.lines) : undefined
  if (next) setStatus(change, next)
}

const listed = (statuses: readonly string[]) => statuses.join(', ') || orderTexts.noStatus

function setStatus(change: OrderChange, status: OrderStatus, reason?: TransitionReason): void {
  const before = change.order.status
  const submittedAt = status === 'SUBMITTED' ? change.at : change.order.submittedAt
  change.order = { ...change.order, status, submittedAt, ...reasonColumns(reason) }
  addTrace(change, { code: 'order-status-changed', ...statusTrace(before, status, reason) })
  if (!isWithSeller(status)) setAwaiting(change, null)
}

function setLineStatus(
  change: OrderChange,
  { id, status: before }: SnapshotLine,
  status: LineStatus,
  reason?: TransitionReason
): void {
  setLine(change, id, { status, ...reasonColumns(reason) })
  const trace = statusTrace(before, status, reason)
  addTrace(change, { code: 'order-line-status-changed', orderLineId: id, ...trace })
  if (status === 'FULFILLED') applyFulfilment(change, id)
}

const reasonColumns = (reason?: TransitionReason) => ({
  statusReasonCode: reason?.code ?? null,
  statusReasonText: reason?.text ?? null
})

const statusTrace = (oldStatus: string, newStatus: string, reason?: TransitionReason) => ({
  supplementaryText:
    changedValueText(oldStatus, newStatus) + (reason?.display ? ` Reason: ${reason.display}.` : ''),
  oldStatus,
  newStatus
})
