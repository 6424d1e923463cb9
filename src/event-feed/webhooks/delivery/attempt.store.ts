import { and, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../../db/driver/database.js'
import type { FeedCursor } from '../../cursor.js'
import {
  type DeliveryAttempt,
  type SubscriptionRow,
  subscriptionDeliveries,
  subscriptions
} from '../tables.js'
import { type Lease, leasedBy } from './lease.store.js'

/** Attempts that are kept for each subscription. */
const MAX_STORED_ATTEMPTS = 20

/** The attempts with this one in front. */
const withAttempt = (attempt: DeliveryAttempt) => sql`(
  select jsonb_agg(each order by at) from jsonb_array_elements(
    ${JSON.stringify([attempt])}::jsonb || ${subscriptionDeliveries.attempts}
  ) with ordinality listed(each, at) where at <= ${MAX_STORED_ATTEMPTS})`

/**
 * Records a delivered event, and moves the cursor past it.
 * @returns false when the lease was lost.
 */
export async function recordDelivered(
  db: Database,
  lease: Lease,
  attempt: DeliveryAttempt,
  cursor: FeedCursor
): Promise<boolean> {
  return delivered(db, lease, attempt, { position: cursor.position, positionAt: cursor.at })
}

/**
 * Records a delivered test event. It activates the subscription, unless a caller has changed it
 * since.
 * @returns false when the lease was lost.
 */
export async function recordTested(
  db: Database,
  lease: Lease,
  attempt: DeliveryAttempt,
  testId: string
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const ofTest = and(eq(subscriptions.id, lease.id), eq(subscriptions.testId, testId))
    await tx
      .update(subscriptions)
      .set({
        status: sql`case ${subscriptions.status} when 'PENDING' then 'ACTIVE' else ${subscriptions.status} end`,
        testId: null,
        testAt: null
      })
      .where(ofTest)
    return delivered(tx, lease, attempt, {})
  })
}

async function delivered(
  db: Database | Transaction,
  lease: Lease,
  attempt: DeliveryAttempt,
  cursor: { position?: number; positionAt?: Date }
): Promise<boolean> {
  const rows = await db
    .update(subscriptionDeliveries)
    .set({ ...cursor, failures: 0, nextAttemptAt: null, sendingSince: null, attempts: withAttempt(attempt) })
    .where(leasedBy(lease))
    .returning({ id: subscriptionDeliveries.subscriptionId })
  return rows.length > 0
}

/** Why deliveries stop. */
export type Stop = { status: 'SUSPENDED' | 'ENDED'; statusReason: string }

/**
 * Records a failed attempt. A change by a caller since then prevails: neither is its status changed
 * nor its next attempt delayed.
 * @param next milliseconds until the next attempt, or why there is none.
 */
export async function recordFailed(
  db: Database,
  lease: Lease,
  { revision }: Pick<SubscriptionRow, 'revision'>,
  attempt: DeliveryAttempt,
  next: number | Stop
): Promise<void> {
  await db.transaction(async (tx) => {
    const isUnchanged = and(eq(subscriptions.id, lease.id), eq(subscriptions.revision, revision))
    const [unchanged] = await tx
      .select({ id: subscriptions.id })
      .from(subscriptions)
      .where(isUnchanged)
      .for('update')
    const failed = unchanged && {
      failures: attempt.attempt,
      nextAttemptAt: typeof next === 'number' ? sql`now() + make_interval(secs => ${next / 1000})` : null
    }
    const held = await tx
      .update(subscriptionDeliveries)
      .set({ ...failed, sendingSince: null, attempts: withAttempt(attempt) })
      .where(leasedBy(lease))
      .returning({ id: subscriptionDeliveries.subscriptionId })
    if (unchanged && held.length > 0 && typeof next !== 'number')
      await tx.update(subscriptions).set(next).where(isUnchanged)
  })
}

/** Suspends a subscription whose cursor is too old, unless a caller has changed it since. */
export async function suspendOutdated(
  db: Database,
  { id, revision }: Pick<SubscriptionRow, 'id' | 'revision'>
): Promise<void> {
  await db
    .update(subscriptions)
    .set({ status: 'SUSPENDED', statusReason: 'cursor-too-old' })
    .where(and(eq(subscriptions.id, id), eq(subscriptions.revision, revision)))
}
