import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../db/driver/database.js'
import type { FeedCursor } from '../../cursor.js'
import { deliveringStatuses } from '../subscription.state.js'
import { type SubscriptionRow, subscriptionDeliveries, subscriptions } from '../tables.js'

/**
 * Milliseconds of a lease since its last renewal. Longer than an attempt, so that one that began in
 * time ends in time.
 */
export const LEASE_MS = 30_000

/** Milliseconds after which a waiting run renews its lease. */
export const RENEWAL_MS = 10_000

/** The right to deliver for a subscription, of one run of one instance. */
export interface Lease {
  id: string
  lease: string
}

const leaseEnd = sql`now() + make_interval(secs => ${LEASE_MS / 1000})`

export const leasedBy = ({ id, lease }: Lease) =>
  and(eq(subscriptionDeliveries.subscriptionId, id), eq(subscriptionDeliveries.lease, lease))

/**
 * Takes the leases of subscriptions that deliver, have no waiting retry, and that no run holds.
 * Commits them.
 * @param running ids of the subscriptions that this instance delivers for: a run that has lost its
 *   lease may still be ending.
 */
export async function takeLeases(db: Database, running: readonly string[], limit: number): Promise<Lease[]> {
  const lease = randomUUID()
  const rows = await db.execute<{ id: string }>(sql`
    update ${subscriptionDeliveries} d set lease = ${lease}::uuid, lease_until = ${leaseEnd}
    from (
      select delivery.subscription_id from ${subscriptionDeliveries} delivery
      join ${subscriptions} s on s.id = delivery.subscription_id
      where s.status = any(${sql.param(`{${deliveringStatuses.join()}}`)}::text[])
        and (delivery.next_attempt_at is null or delivery.next_attempt_at <= now())
        and (delivery.lease_until is null or delivery.lease_until < now())
        and delivery.subscription_id <> all(${sql.param(`{${running.join()}}`)}::uuid[])
      order by delivery.subscription_id limit ${limit} for update of delivery skip locked
    ) due
    where d.subscription_id = due.subscription_id
    returning d.subscription_id as id`)
  return rows.map(({ id }) => ({ id, lease }))
}

/**
 * Renews a lease, and stores the cursor up to which everything was delivered. After a change by a
 * caller the cursor stays: what the former rights did not show may be visible now.
 * @param subscription as the run knows it.
 * @param isSending whether an attempt begins.
 * @returns the status and the revision of the subscription. Undefined when the lease was lost.
 */
export async function renewLease(
  db: Database,
  lease: Lease,
  { revision }: Pick<SubscriptionRow, 'revision'>,
  { position, at }: FeedCursor,
  isSending: boolean
): Promise<Pick<SubscriptionRow, 'status' | 'revision'> | undefined> {
  const isUnchanged = eq(subscriptions.revision, revision)
  const [row] = await db
    .update(subscriptionDeliveries)
    .set({
      position: sql`case when ${isUnchanged} then ${position}::bigint else ${subscriptionDeliveries.position} end`,
      positionAt: sql`case when ${isUnchanged} then ${at.toISOString()}::timestamptz else ${subscriptionDeliveries.positionAt} end`,
      leaseUntil: leaseEnd,
      sendingSince: isSending ? sql`date_trunc('milliseconds', clock_timestamp())` : null
    })
    .from(subscriptions)
    .where(and(leasedBy(lease), eq(subscriptions.id, lease.id)))
    .returning({ status: subscriptions.status, revision: subscriptions.revision })
  return row
}

/** Gives a lease back. Another run may take it at once. */
export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db
    .update(subscriptionDeliveries)
    .set({ lease: null, leaseUntil: null, sendingSince: null })
    .where(leasedBy(lease))
}
