import { and, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/driver/database.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import { type StopReason, subscriptionTransitions } from '../subscription.state.js'
import {
  type DeliveryAttempt,
  type SubscriptionRow,
  subscriptionDeliveries,
  subscriptions
} from '../tables.js'
import { type DeliveryRun, leasedBy } from './lease.store.js'

/** Maximum number of attempts that are stored for each subscription. */
const MAX_STORED_ATTEMPTS = 20

/** The attempts, beginning with this attempt. */
const withAttempt = (attempt: DeliveryAttempt) => sql`(
  select jsonb_agg(each order by at) from jsonb_array_elements(
    ${JSON.stringify([attempt])}::jsonb || ${subscriptionDeliveries.attempts}
  ) with ordinality listed(each, at) where at <= ${MAX_STORED_ATTEMPTS})`

/**
 * Records a delivered event, and the cursor of the run, which is after the event.
 * @param isTest activates the subscription, unless a caller has requested another test event.
 * @returns false when the lease was lost.
 */
export async function recordDelivered(
  db: Database,
  { lease, cursor, subscription: { id, testId } }: DeliveryRun,
  attempt: DeliveryAttempt,
  isTest: boolean
): Promise<boolean> {
  const held = await db
    .update(subscriptionDeliveries)
    .set({
      ...{ position: cursor.position, positionAt: cursor.at, failures: 0, nextAttemptAt: null },
      attempts: withAttempt(attempt)
    })
    .where(leasedBy(lease))
    .returning({ id: subscriptionDeliveries.subscriptionId })
  if (held.length > 0 && isTest && testId !== null) {
    const { PENDING: active } = subscriptionTransitions.testDelivered
    const status = sql`case ${subscriptions.status} when 'PENDING' then ${active} else ${subscriptions.status} end`
    await db
      .update(subscriptions)
      .set({ status, testId: null, testAt: null })
      .where(and(eq(subscriptions.id, id), eq(subscriptions.testId, testId)))
  }
  return held.length > 0
}

const unchanged = ({ id, revision }: Pick<SubscriptionRow, 'id' | 'revision'>) =>
  and(eq(subscriptions.id, id), eq(subscriptions.revision, revision))

/**
 * Records a failed attempt. A later change by a caller takes precedence: neither its status is
 * changed nor its next attempt delayed.
 * @param next milliseconds until the next attempt, or the reason why there is no attempt.
 */
export async function recordFailed(
  db: Database,
  { lease, subscription }: DeliveryRun,
  attempt: DeliveryAttempt,
  next: number | StopReason
): Promise<void> {
  await unitOfWork({ db }, null, async ({ tx }) => {
    const [isUnchanged] = await tx
      .select({ id: subscriptions.id })
      .from(subscriptions)
      .where(unchanged(subscription))
      .for('update')
    const failed = isUnchanged && {
      failures: attempt.attempt,
      nextAttemptAt: typeof next === 'number' ? sql`now() + make_interval(secs => ${next / 1000})` : null
    }
    const held = await tx
      .update(subscriptionDeliveries)
      .set({ ...failed, attempts: withAttempt(attempt) })
      .where(leasedBy(lease))
      .returning({ id: subscriptionDeliveries.subscriptionId })
    if (held.length > 0 && typeof next !== 'number') await stopDeliveries(tx, subscription, next)
  })
}

export async function delayAttempt(
  db: Database,
  { lease }: Pick<DeliveryRun, 'lease'>,
  delayMs: number
): Promise<void> {
  await db
    .update(subscriptionDeliveries)
    .set({ nextAttemptAt: sql`now() + make_interval(secs => ${delayMs / 1000})` })
    .where(leasedBy(lease))
}

/**
 * Stops the deliveries of a subscription, unless a caller has changed the subscription meanwhile.
 */
export async function stopDeliveries(
  db: Database | Transaction,
  subscription: SubscriptionRow,
  stop: StopReason
): Promise<void> {
  await db.update(subscriptions).set(stop).where(unchanged(subscription))
}
