import { randomUUID } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import type { FeedCursor } from '../../event-api/cursor.js'
import { deliveringStatuses } from '../subscription.state.js'
import { type SubscriptionRow, subscriptionDeliveries, subscriptions } from '../tables.js'

/**
 * Milliseconds of a lease since its last renewal. Longer than an attempt, so that an attempt that
 * begins in time also ends in time.
 */
export const LEASE_MS = 30_000

/** Milliseconds after which a waiting run renews its lease. */
export const RENEWAL_MS = 10_000

/** The right of one run of one instance to deliver for a subscription. */
export interface Lease {
  id: string
  lease: string
}

/** A run: its subscription at the start of the run, and its cursor. */
export interface DeliveryRun {
  lease: Lease
  subscription: SubscriptionRow
  cursor: FeedCursor
  /** Failed attempts in a row. */
  failures: number
  /** The time of the last successful attempt among the stored attempts. */
  deliveredAt: Date | undefined
}

const leaseEnd = sql`now() + make_interval(secs => ${LEASE_MS / 1000})`

export const leasedBy = ({ id, lease }: Lease) =>
  and(eq(subscriptionDeliveries.subscriptionId, id), eq(subscriptionDeliveries.lease, lease))

/**
 * Takes and commits the leases of delivering subscriptions without a waiting retry and without a
 * run.
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

/** Loads the inputs of a run. Undefined if a caller has paused the subscription meanwhile. */
export async function loadRun(db: Database, lease: Lease): Promise<DeliveryRun | undefined> {
  const [row] = await db
    .select({ subscription: subscriptions, delivery: subscriptionDeliveries })
    .from(subscriptions)
    .innerJoin(subscriptionDeliveries, eq(subscriptionDeliveries.subscriptionId, subscriptions.id))
    .where(and(eq(subscriptions.id, lease.id), inArray(subscriptions.status, deliveringStatuses)))
  if (!row) return undefined
  const { subscription, delivery } = row
  const cursor = { position: delivery.position, at: delivery.positionAt }
  const last = delivery.attempts.find(({ result }) => result === 'DELIVERED')
  const deliveredAt = last && new Date(last.time)
  return { lease, subscription, cursor, failures: delivery.failures, deliveredAt }
}

/**
 * Renews a lease, and stores the cursor up to which everything was delivered. If a caller has
 * changed the subscription, lease and cursor stay, because the new rights may show other events.
 * @returns false when the lease was lost, or a caller has changed the subscription.
 */
export async function renewLease(
  db: Database,
  { lease, subscription: { id, revision }, cursor: { position, at } }: DeliveryRun
): Promise<boolean> {
  const rows = await db
    .update(subscriptionDeliveries)
    .set({ position, positionAt: at, leaseUntil: leaseEnd })
    .from(subscriptions)
    .where(and(leasedBy(lease), eq(subscriptions.id, id), eq(subscriptions.revision, revision)))
    .returning({ id: subscriptions.id })
  return rows.length > 0
}

/** Releases a lease, which another run may take at once. */
export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db.update(subscriptionDeliveries).set({ lease: null, leaseUntil: null }).where(leasedBy(lease))
}
