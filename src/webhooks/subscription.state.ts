import type { SubscriptionStatus } from './tables.js'

/** Statuses in which events are delivered; before ACTIVE only the test event. */
export const deliveringStatuses: readonly SubscriptionStatus[] = ['PENDING', 'ACTIVE']

type Transitions = Readonly<Partial<Record<SubscriptionStatus, SubscriptionStatus>>>

/**
 * The status after a transition, by the former status. Without an entry, `pause`, `resume` and
 * `test` are rejected; the other transitions keep the status. `resume` leads to PENDING while a
 * test event waits.
 */
export const subscriptionTransitions = {
  pause: { PENDING: 'PAUSED', ACTIVE: 'PAUSED', PAUSED: 'PAUSED' },
  resume: { PENDING: 'ACTIVE', ACTIVE: 'ACTIVE', PAUSED: 'ACTIVE', SUSPENDED: 'ACTIVE' },
  test: { PENDING: 'PENDING', ACTIVE: 'ACTIVE' },
  retarget: { PENDING: 'PENDING', ACTIVE: 'PENDING', SUSPENDED: 'PENDING', ENDED: 'PENDING' },
  testDelivered: { PENDING: 'ACTIVE' }
} as const satisfies Record<string, Transitions>

/** The status after a transition. Undefined without a transition from this status. */
export const statusAfterTransition = (
  transition: keyof typeof subscriptionTransitions,
  from: SubscriptionStatus
) => (subscriptionTransitions[transition] as Transitions)[from]

/** Reasons why deliveries stop: codes of subscription-status-reason, and the resulting status. */
export const stopReasons = {
  gone: { status: 'ENDED', statusReason: 'gone' },
  exhausted: { status: 'SUSPENDED', statusReason: 'attempts-exhausted' },
  outdated: { status: 'SUSPENDED', statusReason: 'cursor-too-old' },
  replaced: { status: 'PAUSED', statusReason: 'ORGANIZATION_REPLACED' }
} as const satisfies Record<string, { status: SubscriptionStatus; statusReason: string }>
export type StopReason = (typeof stopReasons)[keyof typeof stopReasons]
