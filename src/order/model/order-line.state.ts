import type { OrderStatus, Transitions } from './order.state.js'

/*
 * A line is open while it is UNFULFILLED (not with the provider) or SUBMITTED (with the provider).
 * The provider fulfils it, or returns it as UNFULFILLED when it could not be done. The buyer may
 * then submit it again, or cancel it.
 */

export type LineStatus = 'UNFULFILLED' | 'SUBMITTED' | 'FULFILLED' | 'CANCELLED'

export const lineTransitions: Transitions<LineStatus> = {
  UNFULFILLED: { SUBMITTED: 'MonitoringResponsible', CANCELLED: 'MonitoringResponsible' },
  SUBMITTED: { FULFILLED: 'Provider', UNFULFILLED: 'Provider', CANCELLED: 'MonitoringResponsible' },
  FULFILLED: {},
  CANCELLED: {}
}

/** All statuses. */
export const lineStatuses = Object.keys(lineTransitions) as LineStatus[]

/** Statuses of the order that allow a line to move to each status. */
export const orderStatusesAllowing: Readonly<Record<LineStatus, readonly OrderStatus[]>> = {
  SUBMITTED: ['SUBMITTED', 'ACCEPTED'],
  FULFILLED: ['SUBMITTED', 'ACCEPTED'],
  UNFULFILLED: ['SUBMITTED', 'ACCEPTED'],
  CANCELLED: ['DRAFT', 'SUBMITTED', 'ACCEPTED']
}

/** Statuses that a line may be created with. */
export const initialLineStatuses: readonly LineStatus[] = ['UNFULFILLED', 'SUBMITTED']

export const isOpen = (status: LineStatus) => status === 'UNFULFILLED' || status === 'SUBMITTED'
