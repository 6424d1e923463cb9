import type { UserType } from '../../platform/auth/actor.js'
import type { Problem } from '../../platform/errors/problem.js'
import { isRunning, type OrderStatus, orderTransitions, type Transitions } from '../model/order.state.js'
import { isOpen, type LineStatus, lineTransitions, orderStatusesFor } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import type { LineRow } from '../store/save-order.js'
import { addTrace, type OrderChange, oldAndNew } from './change-order.js'

/*
 * The only place where an order or an order line gets another status, and never without its trace line. Both are written by
 * one statement when the change is saved.
 */

/**
 * Moves an order, and with it the lines that follow it.
 * @throws Problem `illegal-transition`, `not-your-move`, `no-open-lines`, `unfulfilled-lines`, `delivered-lines`.
 */
export function transitionOrder(change: OrderChange, to: OrderStatus): void {
  const isPossible = (status: string) => !obstacles[status as OrderStatus]?.holds(change.lines)
  assertMove(orderTransitions, change.order.status, to, change.actor.userType, isPossible)
  if (!isPossible(to)) throw obstacles[to]?.problem()
  setOrderStatus(change, to)
  for (const line of change.lines) {
    const next = lineAfter[to]?.[line.status]
    if (next) setLineStatus(change, line, next)
  }
}

/**
 * Moves an order line, and the order with it when that was its last open line.
 * @throws Problem `illegal-transition`, `not-your-move`.
 */
export function transitionLine(change: OrderChange, line: LineRow, to: LineStatus): void {
  assertMove(lineMovesIn(change.order.status), line.status, to, change.actor.userType)
  setLineStatus(change, line, to)
  if (isRunning(change.order.status) && !change.lines.some((each) => isOpen(each.status)))
    setOrderStatus(
      change,
      change.lines.some((each) => each.status === 'FULFILLED') ? 'FULFILLED' : 'CANCELLED'
    )
}

/** The moves of lines that the status of their order leaves open. */
function lineMovesIn(orderStatus: OrderStatus): Transitions<LineStatus> {
  const open = ([to]: [string, unknown]) => orderStatusesFor[to as LineStatus].includes(orderStatus)
  const moves = Object.entries(lineTransitions).map(([from, to]) => [
    from,
    Object.fromEntries(Object.entries(to).filter(open))
  ])
  return Object.fromEntries(moves) as Transitions<LineStatus>
}

/** What lines keep an order from a status. */
interface Obstacle {
  holds: (lines: readonly LineRow[]) => boolean
  problem: () => Problem
}

/** Something was delivered, which REJECTED and CANCELLED deny. */
const deliveredLines: Obstacle = {
  holds: (lines) => lines.some((line) => line.status === 'FULFILLED'),
  problem: () =>
    orderProblem(
      'delivered-lines',
      'A line of the order is FULFILLED. MonitoringResponsible can cancel the open lines; the order is FULFILLED when none is left.'
    )
}

const obstacles: Partial<Record<OrderStatus, Obstacle>> = {
  SUBMITTED: {
    holds: (lines) => !lines.some((line) => isOpen(line.status)),
    problem: () => orderProblem('no-open-lines', 'Add an order line before you submit the order.')
  },
  FULFILLED: {
    holds: (lines) => lines.some((line) => line.status === 'UNFULFILLED'),
    problem: () =>
      orderProblem(
        'unfulfilled-lines',
        'A line of the order is UNFULFILLED. It must be submitted again, or cancelled, first.'
      )
  },
  REJECTED: deliveredLines,
  CANCELLED: deliveredLines
}

/** What lines become when their order moves to a status. */
const lineAfter: Partial<Record<OrderStatus, Partial<Record<LineStatus, LineStatus>>>> = {
  SUBMITTED: { UNFULFILLED: 'SUBMITTED' },
  FULFILLED: { SUBMITTED: 'FULFILLED' },
  REJECTED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' },
  CANCELLED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' }
}

/** @param isPossible whether nothing but the caller stands against a move of the table; a refusal names no other moves. */
function assertMove<S extends string>(
  moves: Transitions<S>,
  from: S,
  to: S,
  userType: UserType,
  isPossible: (to: string) => boolean = () => true
): void {
  const mover = moves[from][to]
  if (mover === undefined) {
    const open = Object.keys(moves[from]).filter(isPossible).join(', ') || 'none'
    throw orderProblem(
      'illegal-transition',
      `From ${from} there is no way to ${to}. Open from ${from}: ${open}.`
    )
  }
  if (mover !== userType) throw orderProblem('not-your-move', `From ${from} to ${to} is a move of ${mover}.`)
}

function setOrderStatus(change: OrderChange, status: OrderStatus): void {
  const before = change.order.status
  const submittedAt = status === 'SUBMITTED' ? change.at : change.order.submittedAt
  change.order = { ...change.order, status, submittedAt }
  addTrace(change, {
    text: 'Order status changed.',
    supplementaryText: oldAndNew(before, status),
    oldStatus: before,
    newStatus: status
  })
}

function setLineStatus(change: OrderChange, line: LineRow, status: LineStatus): void {
  change.lines = change.lines.map((each) => (each.id === line.id ? { ...each, status } : each))
  addTrace(change, {
    text: 'Order line status changed.',
    supplementaryText: oldAndNew(line.status, status),
    orderLineId: line.id,
    oldStatus: line.status,
    newStatus: status
  })
}
