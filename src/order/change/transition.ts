import type { UserType } from '../../platform/auth/caller.js'
import type { Problem } from '../../platform/errors/problem.js'
import { applyFulfilment } from '../device/use.js'
import {
  isWithSeller,
  type OrderStatus,
  orderStatuses,
  orderTransitions,
  type Transitions
} from '../model/order.state.js'
import { isOpen, type LineStatus, lineTransitions, orderStatusesAllowing } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import type { SnapshotLine } from '../store/load-order.js'
import { addTrace, type OrderChange, oldAndNew } from './change-order.js'

/*
 * The only module that changes the status of an order or an order line, always with its trace line.
 * One statement writes both when the change is saved.
 */

/** Why a status changes. Only the display enters the trace, which cannot be erased. */
export interface TransitionReason {
  code: string | null
  display: string | null
  /** May be about the patient. */
  text: string | null
}

/**
 * Moves an order to another status, and its open lines along with it. The reason is that of the
 * order; its lines get none.
 * @throws Problem `illegal-transition`, `not-your-move`, `no-open-lines`, `unfulfilled-lines`,
 * `delivered-lines`.
 */
export function transitionOrder(change: OrderChange, to: OrderStatus, reason?: TransitionReason): void {
  const isPossible = (status: string) => !obstacles[status as OrderStatus]?.blocks(change.lines)
  assertTransition(
    'Order',
    orderTransitions,
    change.order.status,
    to,
    change.call.caller.userType,
    isPossible
  )
  if (!isPossible(to)) throw obstacles[to]?.problem()
  setOrderStatus(change, to, reason)
  for (const line of change.lines) {
    const next = lineAfter[to]?.[line.status]
    if (next) setLineStatus(change, line, next)
  }
}

/**
 * The statuses to which users of a type can move an order with these lines. What is checked when an
 * order is submitted, such as its contract, is not considered.
 */
export const allowedStatuses = (
  status: OrderStatus,
  lines: readonly LineInStatus[],
  userType: UserType
): OrderStatus[] =>
  (Object.entries(orderTransitions[status]) as [OrderStatus, UserType][])
    .filter(([to, by]) => by === userType && !obstacles[to]?.blocks(lines))
    .map(([to]) => to)

/**
 * Moves an order line to another status, and the order along with its last open line. The reason
 * is that of the line; the order gets none.
 * @throws Problem `illegal-transition`, `not-your-move`.
 */
export function transitionLine(
  change: OrderChange,
  line: SnapshotLine,
  to: LineStatus,
  reason?: TransitionReason
): void {
  assertTransition(
    'Order line',
    lineTransitionsIn[change.order.status],
    line.status,
    to,
    change.call.caller.userType
  )
  setLineStatus(change, line, to, reason)
  if (isWithSeller(change.order.status) && !change.lines.some((each) => isOpen(each.status)))
    setOrderStatus(
      change,
      change.lines.some((each) => each.status === 'FULFILLED') ? 'FULFILLED' : 'CANCELLED'
    )
}

/** The statuses to which users of a type can move a line of an order. */
export const allowedLineStatuses = (
  orderStatus: OrderStatus,
  status: LineStatus,
  userType: UserType
): LineStatus[] =>
  (Object.entries(lineTransitionsIn[orderStatus][status]) as [LineStatus, UserType][])
    .filter(([, by]) => by === userType)
    .map(([to]) => to)

/** The transitions of a line that each status of its order allows. */
const lineTransitionsIn = Object.fromEntries(
  orderStatuses.map((orderStatus) => {
    const open = ([to]: [string, unknown]) => orderStatusesAllowing[to as LineStatus].includes(orderStatus)
    const transitions = Object.entries(lineTransitions).map(([from, to]) => [
      from,
      Object.fromEntries(Object.entries(to).filter(open))
    ])
    return [orderStatus, Object.fromEntries(transitions)]
  })
) as Record<OrderStatus, Transitions<LineStatus>>

type LineInStatus = Pick<SnapshotLine, 'status'>

/** A condition on the lines that blocks a status of the order. */
interface LineObstacle {
  blocks: (lines: readonly LineInStatus[]) => boolean
  problem: () => Problem
}

/** REJECTED and CANCELLED would deny that a line was delivered. */
const deliveredLines: LineObstacle = {
  blocks: (lines) => lines.some((line) => line.status === 'FULFILLED'),
  problem: () =>
    orderProblem('delivered-lines', {
      en: 'A line of the order is FULFILLED. MonitoringResponsible can cancel the open lines instead; the order then becomes FULFILLED.',
      da: 'En linje i bestillingen er FULFILLED. MonitoringResponsible kan annullere de åbne linjer i stedet; så bliver bestillingen FULFILLED.'
    })
}

const obstacles: Partial<Record<OrderStatus, LineObstacle>> = {
  SUBMITTED: {
    blocks: (lines) => !lines.some((line) => isOpen(line.status)),
    problem: () => orderProblem('no-open-lines')
  },
  FULFILLED: {
    blocks: (lines) => lines.some((line) => line.status === 'UNFULFILLED'),
    problem: () => orderProblem('unfulfilled-lines')
  },
  REJECTED: deliveredLines,
  CANCELLED: deliveredLines
}

/** The next status of a line when its order transitions to a status. */
const lineAfter: Partial<Record<OrderStatus, Partial<Record<LineStatus, LineStatus>>>> = {
  SUBMITTED: { UNFULFILLED: 'SUBMITTED' },
  FULFILLED: { SUBMITTED: 'FULFILLED' },
  REJECTED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' },
  CANCELLED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' }
}

const subjects = {
  Order: { en: 'Order', da: 'Bestillingens' },
  'Order line': { en: 'Order line', da: 'Linjens' }
} as const

/**
 * @param isPossible whether the lines allow a transition of the table. The detail of the problem
 * names no others.
 * @throws Problem `illegal-transition`, `not-your-move`.
 */
function assertTransition<S extends string>(
  subject: keyof typeof subjects,
  transitions: Transitions<S>,
  from: S,
  to: S,
  userType: UserType,
  isPossible: (to: string) => boolean = () => true
): void {
  const allowedUserType = transitions[from][to]
  if (allowedUserType === undefined) {
    const allowed = Object.keys(transitions[from]).filter(isPossible).join(', ')
    throw orderProblem('illegal-transition', {
      en: `${subjects[subject].en} status cannot change from ${from} to ${to}. Allowed: ${allowed || 'none'}.`,
      da: `${subjects[subject].da} status kan ikke skifte fra ${from} til ${to}. Tilladt: ${allowed || 'ingen'}.`
    })
  }
  if (allowedUserType !== userType)
    throw orderProblem('not-your-move', {
      en: `Only ${allowedUserType} can change the status from ${from} to ${to}.`,
      da: `Kun ${allowedUserType} kan skifte status fra ${from} til ${to}.`
    })
}

function setOrderStatus(change: OrderChange, status: OrderStatus, reason?: TransitionReason): void {
  const before = change.order.status
  const submittedAt = status === 'SUBMITTED' ? change.at : change.order.submittedAt
  const awaiting = isWithSeller(status) ? change.order.awaiting : null
  change.order = { ...change.order, status, submittedAt, awaiting, ...reasonColumns(reason) }
  addTrace(change, {
    text: 'Order status changed.',
    supplementaryText: oldAndNew(before, status) + reasonText(reason),
    oldStatus: before,
    newStatus: status
  })
}

function setLineStatus(
  change: OrderChange,
  line: SnapshotLine,
  status: LineStatus,
  reason?: TransitionReason
): void {
  const changed = { status, ...reasonColumns(reason) }
  change.lines = change.lines.map((each) => (each.id === line.id ? { ...each, ...changed } : each))
  addTrace(change, {
    text: 'Order line status changed.',
    supplementaryText: oldAndNew(line.status, status) + reasonText(reason),
    orderLineId: line.id,
    oldStatus: line.status,
    newStatus: status
  })
  if (status === 'FULFILLED') applyFulfilment(change, line.id)
}

const reasonColumns = (reason?: TransitionReason) => ({
  statusReasonCode: reason?.code ?? null,
  statusReasonText: reason?.text ?? null
})

const reasonText = (reason?: TransitionReason) => (reason?.display ? ` Reason: ${reason.display}.` : '')
