import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid
} from 'drizzle-orm/pg-core'
import { bytea, instant } from '../db/tables.js'
import type { EventType } from '../ledger/event-types.js'
import type { UserType } from '../platform/auth/caller.js'

/**
 * PENDING until the target has accepted a test event, then ACTIVE. SUSPENDED after ten
 * failed attempts in a row, or when the cursor is too old. ENDED when the target responded with
 * 410. Only PENDING and ACTIVE subscriptions get deliveries.
 */
export const subscriptionStatuses = ['PENDING', 'ACTIVE', 'PAUSED', 'SUSPENDED', 'ENDED'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Subscriptions of organizations to events, as callers write them. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid('id').notNull(),
    organization: text('organization').notNull(),
    target: text('target').notNull(),
    types: text('types').array().$type<EventType[]>().notNull(),
    /** The caller whose rights decide which events are delivered. */
    userType: text('user_type').$type<UserType>().notNull(),
    userId: text('user_id'),
    permissions: text('permissions').array().notNull(),
    status: text('status').$type<SubscriptionStatus>().notNull(),
    /** Why it is PAUSED, SUSPENDED or ENDED: a code of subscription-status-reason. */
    statusReason: text('status_reason'),
    /**
     * Counts the changes by callers. A delivery that began before a change does not change the
     * status.
     */
    revision: integer('revision').notNull(),
    /** The id of the test event that is to be delivered. */
    testId: uuid('test_id'),
    testAt: instant('test_at'),
    /** The type of the example event. Null for a `subscription.test`. */
    testType: text('test_type').$type<EventType>(),
    /** Number of test events so far. */
    testCount: integer('test_count').notNull(),
    createdAt: instant('created_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'subscriptions_pk', columns: [t.id] }),
    index('subscriptions_organization_idx').on(t.organization, t.id),
    check('subscriptions_status_known', sql`${t.status} in ('PENDING','ACTIVE','PAUSED','SUSPENDED','ENDED')`)
  ]
)
export type SubscriptionRow = typeof subscriptions.$inferSelect

/** Secrets of subscriptions, encrypted with a key that is not in this database. */
export const subscriptionSecrets = pgTable(
  'subscription_secrets',
  {
    id: uuid('id').notNull(),
    subscriptionId: uuid('subscription_id').notNull(),
    sealed: bytea('sealed').notNull(),
    /** End of a former secret. Null for the present secret. */
    validUntil: instant('valid_until')
  },
  (t) => [
    primaryKey({ name: 'subscription_secrets_pk', columns: [t.subscriptionId, t.id] }),
    foreignKey({
      name: 'subscription_secrets_subscription_fk',
      columns: [t.subscriptionId],
      foreignColumns: [subscriptions.id]
    })
  ]
)

export interface DeliveryAttempt {
  time: string
  /** Id and type of the event. */
  event: string
  type: string
  /** 1 for the first attempt. */
  attempt: number
  result: string
  durationMs: number
}

/** The progress of the deliveries of each subscription, and the delivering instance. */
export const subscriptionDeliveries = pgTable(
  'subscription_deliveries',
  {
    subscriptionId: uuid('subscription_id').notNull(),
    /** The position in the ledger up to which every event was delivered or is not visible. */
    position: bigint('position', { mode: 'number' }).notNull(),
    positionAt: instant('position_at').notNull(),
    /** Failed attempts in a row. */
    failures: integer('failures').notNull(),
    nextAttemptAt: instant('next_attempt_at'),
    /** Identifies the run that delivers, until `lease_until`. */
    lease: uuid('lease'),
    leaseUntil: instant('lease_until'),
    /** The last attempts, newest first. */
    attempts: jsonb('attempts').$type<DeliveryAttempt[]>().notNull()
  },
  (t) => [
    primaryKey({ name: 'subscription_deliveries_pk', columns: [t.subscriptionId] }),
    foreignKey({
      name: 'subscription_deliveries_subscription_fk',
      columns: [t.subscriptionId],
      foreignColumns: [subscriptions.id]
    })
  ]
)
