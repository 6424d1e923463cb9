import type { UserType } from '../../platform/auth/caller.js'

/*
 * The statuses of orders and lines: the user type of each transition, the lines that prevent it,
 * and its consequences. An order starts as a DRAFT, which only its buyer sees and may change
 * freely. SUBMITTED hands it to the seller, who accepts, rejects or fulfils it. The buyer may
 * cancel it until it is final. A line is open while it is UNFULFILLED (not with the provider) or
 * SUBMITTED (with the provider). The provider fulfils it, or returns it as UNFULFILLED when it
 * could not be done. The buyer may then submit it again, or cancel it.
 */

export type OrderStatus = 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED'
export type LineStatus = 'UNFULFILLED' | 'SUBMITTED' | 'FULFILLED' | 'CANCELLED'

/** For each status the statuses that may follow, and the user type that makes the transition. */
export type Transitions<S extends string> = Readonly<Record<S, Readonly<Partial<Record<S, UserType>>>>>

export const orderTransitions: Transitions<OrderStatus> = {
  DRAFT: { SUBMITTED: 'MonitoringResponsible', CANCELLED: 'MonitoringResponsible' },
  SUBMITTED: {
    ACCEPTED: 'Provider',
    REJECTED: 'Provider',
    FULFILLED: 'Provider',
    CANCELLED: 'MonitoringResponsible'
  },
  ACCEPTED: { FULFILLED: 'Provider', CANCELLED: 'MonitoringResponsible' },
  REJECTED: {},
  FULFILLED: {},
  CANCELLED: {}
}

export const lineTransitions: Transitions<LineStatus> = {
  UNFULFILLED: { SUBMITTED: 'MonitoringResponsible', CANCELLED: 'MonitoringResponsible' },
  SUBMITTED: { FULFILLED: 'Provider', UNFULFILLED: 'Provider', CANCELLED: 'MonitoringResponsible' },
  FULFILLED: {},
  CANCELLED: {}
}

/** Statuses of the order that allow a transition of a line to each status. */
export const orderStatusesAllowing: Readonly<Record<LineStatus, readonly OrderStatus[]>> = {
  SUBMITTED: ['SUBMITTED', 'ACCEPTED'],
  FULFILLED: ['SUBMITTED', 'ACCEPTED'],
  UNFULFILLED: ['SUBMITTED', 'ACCEPTED'],
  CANCELLED: ['DRAFT', 'SUBMITTED', 'ACCEPTED']
}

/** The next status of an open line when its order transitions to a status. */
const nextLineStatuses: Partial<Record<OrderStatus, Partial<Record<LineStatus, LineStatus>>>> = {
  SUBMITTED: { UNFULFILLED: 'SUBMITTED' },
  FULFILLED: { SUBMITTED: 'FULFILLED' },
  REJECTED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' },
  CANCELLED: { UNFULFILLED: 'CANCELLED', SUBMITTED: 'CANCELLED' }
}

export const orderStatuses = Object.keys(orderTransitions) as OrderStatus[]
export const lineStatuses = Object.keys(lineTransitions) as LineStatus[]

export const initialLineStatuses: readonly LineStatus[] = ['UNFULFILLED', 'SUBMITTED']

/** The statuses that a change may give a reason for. */
export const reasonedOrderStatuses: readonly OrderStatus[] = ['REJECTED', 'CANCELLED']
export const reasonedLineStatuses: readonly LineStatus[] = ['UNFULFILLED', 'CANCELLED']

/** Statuses of submitted orders. A cancelled draft also has one of these statuses. */
export const submittedStatuses = orderStatuses.filter((status) => status !== 'DRAFT')

/** Whether the order is with the seller and not final. */
export const isWithSeller = (status: OrderStatus) => status === 'SUBMITTED' || status === 'ACCEPTED'

/** Whether the status of an order is final: no transition follows. */
export const isClosed = (status: OrderStatus) => Object.keys(orderTransitions[status]).length === 0

export const closedStatuses = orderStatuses.filter(isClosed)

export const isOpen = (status: LineStatus) => status === 'UNFULFILLED' || status === 'SUBMITTED'

/** The user type that may make a transition of a line in an order with this status, if any. */
export const userTypeOfLineTransition = (
  order: OrderStatus,
  from: LineStatus,
  to: LineStatus
): UserType | undefined => (orderStatusesAllowing[to].includes(order) ? lineTransitions[from][to] : undefined)

type LineInStatus = Readonly<{ status: LineStatus }>

/** The name of the problem of an order whose lines prevent a transition to a status. */
export function lineProblem(to: OrderStatus, lines: readonly LineInStatus[]) {
  const has = (status: LineStatus) => lines.some((line) => line.status === status)
  if (to === 'SUBMITTED' && !lines.some(({ status }) => isOpen(status))) return 'no-open-lines'
  if (to === 'FULFILLED' && has('UNFULFILLED')) return 'unfulfilled-lines'
  // REJECTED and CANCELLED would contradict a delivered line.
  if ((to === 'REJECTED' || to === 'CANCELLED') && has('FULFILLED')) return 'delivered-lines'
  return undefined
}

/**
 * The statuses that users of a type can set on an order with these lines, regardless of the checks
 * at submission, such as the contract.
 */
export const allowedStatuses = (
  status: OrderStatus,
  lines: readonly LineInStatus[],
  userType: UserType
): OrderStatus[] =>
  (Object.keys(orderTransitions[status]) as OrderStatus[]).filter(
    (to) => orderTransitions[status][to] === userType && lineProblem(to, lines) === undefined
  )

/** The statuses that users of a type can set on a line of an order. */
export const allowedLineStatuses = (
  order: OrderStatus,
  status: LineStatus,
  userType: UserType
): LineStatus[] =>
  (Object.keys(lineTransitions[status]) as LineStatus[]).filter(
    (to) => userTypeOfLineTransition(order, status, to) === userType
  )

/** The status of a line after a transition of its order. Undefined if the line keeps its status. */
export const lineStatusAfter = (order: OrderStatus, line: LineStatus): LineStatus | undefined =>
  nextLineStatuses[order]?.[line]

/** The status of an open order after a transition of a line. Undefined while a line is open. */
export function orderStatusAfter(lines: readonly LineInStatus[]): OrderStatus | undefined {
  if (lines.some(({ status }) => isOpen(status))) return undefined
  return lines.some(({ status }) => status === 'FULFILLED') ? 'FULFILLED' : 'CANCELLED'
}

/** The codes of the value set order-attention, in the order of responses. */
export const attentionCodes = ['UNANSWERED', 'LATE', 'RETURNED', 'QUESTION'] as const
export type Attention = (typeof attentionCodes)[number]
