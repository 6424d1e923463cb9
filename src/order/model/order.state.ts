import type { UserType } from '../../platform/auth/actor.js'

/*
 * An order begins as a DRAFT, which its buyer alone sees and may change freely. SUBMITTED hands it to the seller, who accepts
 * or rejects it, or fulfils it at once. Until it is done the buyer may cancel it. REJECTED, FULFILLED and CANCELLED are the end.
 */

export type OrderStatus = 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED'

/** For each status the moves that lead on from it, and who makes them. */
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

/** Whether the seller has the order and is not done with it. */
export const isRunning = (status: OrderStatus) => status === 'SUBMITTED' || status === 'ACCEPTED'

/** Whether nothing can happen to the order any more. */
export const isClosed = (status: OrderStatus) => Object.keys(orderTransitions[status]).length === 0
