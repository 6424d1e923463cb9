import type { UserType } from '../../platform/auth/caller.js'

/*
 * An order starts as a DRAFT, which only its buyer sees and may change freely. SUBMITTED hands it
 * to the seller, who accepts, rejects or fulfils it. The buyer may cancel it until it is final.
 * REJECTED, FULFILLED and CANCELLED are final.
 */

export type OrderStatus = 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED'

/** For each status the statuses that may follow, and the user type that makes the move. */
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

/** All statuses. */
export const orderStatuses = Object.keys(orderTransitions) as OrderStatus[]

/** Statuses of submitted orders. A draft that was cancelled has one of them, too. */
export const submittedStatuses = orderStatuses.filter((status) => status !== 'DRAFT')

/** Whether the order is with the seller and not final. */
export const isWithSeller = (status: OrderStatus) => status === 'SUBMITTED' || status === 'ACCEPTED'

/** Whether the status is final: no other one follows. */
export const isClosed = (status: OrderStatus) => Object.keys(orderTransitions[status]).length === 0

/** The final statuses. */
export const closedStatuses = orderStatuses.filter(isClosed)
