import type { SubscriptionStatus } from './tables.js'

/** Statuses in which events are delivered; before ACTIVE only the test event. */
export const deliveringStatuses: readonly SubscriptionStatus[] = ['PENDING', 'ACTIVE']

/** In which statuses a caller may act. Other ways to change a subscription are always allowed. */
export const actionableStatuses: Readonly<
  Record<'pause' | 'resume' | 'test', readonly SubscriptionStatus[]>
> = {
  pause: ['PENDING', 'ACTIVE', 'PAUSED'],
  resume: ['PENDING', 'ACTIVE', 'PAUSED', 'SUSPENDED'],
  test: ['PENDING', 'ACTIVE']
}

/** Why deliveries stop, and the status that follows. */
export const stops = {
  gone: { status: 'ENDED', statusReason: 'gone' },
  exhausted: { status: 'SUSPENDED', statusReason: 'attempts-exhausted' },
  outdated: { status: 'SUSPENDED', statusReason: 'cursor-too-old' }
} as const satisfies Record<string, { status: SubscriptionStatus; statusReason: string }>
export type Stop = (typeof stops)[keyof typeof stops]
