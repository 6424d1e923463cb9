import { and, eq, inArray } from 'drizzle-orm'
import { type FeedCursor, retentionStart } from '../../cursor.js'
import { awaitBatch } from '../../feed.js'
import { deliveringStatuses, stops } from '../subscription.state.js'
import { subscriptionDeliveries, subscriptions } from '../tables.js'
import { recordTested, stopDeliveries } from './attempt.store.js'
import { attemptDelivery, type Courier, type DeliveryRun } from './deliver.js'
import { type Lease, RENEWAL_MS, renewLease } from './lease.store.js'
import { auditOfDelivery, deliveredEvent, subscriberOf, testEvent } from './subscriber.js'

/** Events that are read at once. Their visibility is that of this moment. */
const BATCH_SIZE = 20

/**
 * Events of changes that began this long before the creation of a subscription are delivered if
 * they were committed after it.
 */
const MAX_CHANGE_MS = 15 * 60 * 1000

/**
 * Delivers the events of a subscription in the order of the ledger, one after the other, until a
 * delivery fails, a caller changes the subscription, or the lease is lost.
 * @param isOver whether to end.
 */
export async function runSubscription(courier: Courier, lease: Lease, isOver: () => boolean): Promise<void> {
  const { ports } = courier
  const found = await load(ports, lease)
  if (!found) return
  const { run, start } = found
  const { subscription } = run
  const oldest = retentionStart(ports.limits.eventDays)
  if (start.at < oldest) return stopDeliveries(ports.db, subscription, stops.outdated)
  const test = testEvent(ports.resourceUrls, subscription)
  if (test) {
    if (!(await attemptDelivery(courier, run, test, start))) return
    await recordTested(ports.db, lease, test.id)
  }
  const created = new Date(subscription.createdAt.getTime() - MAX_CHANGE_MS)
  await deliverFrom(courier, run, start, created > oldest ? created : oldest, isOver)
}

async function deliverFrom(
  courier: Courier,
  run: DeliveryRun,
  start: FeedCursor,
  since: Date,
  isOver: () => boolean
): Promise<void> {
  const { ports } = courier
  const { lease, subscription } = run
  const subscriber = subscriberOf(subscription)
  let cursor = start
  while (!isOver()) {
    const renewal = performance.now() + RENEWAL_MS
    const request = { after: cursor, since, types: subscription.types, limit: BATCH_SIZE }
    const batch = await awaitBatch(ports, subscriber, request, () => isOver() || performance.now() > renewal)
    for (const row of batch.events) {
      if (isOver()) return
      const record = auditOfDelivery(subscriber, row)
      if (record) await ports.audit.record(record, null)
      const after = { position: row.position, at: row.time }
      const event = deliveredEvent(ports.resourceUrls, row)
      if (!(await attemptDelivery(courier, run, event, cursor, after))) return
      cursor = after
    }
    cursor = batch.next
    const now = await renewLease(ports.db, lease, subscription, cursor, false)
    if (now?.revision !== subscription.revision) return
  }
}

async function load(
  { db }: Courier['ports'],
  lease: Lease
): Promise<{ run: DeliveryRun; start: FeedCursor } | undefined> {
  const [row] = await db
    .select({ subscription: subscriptions, delivery: subscriptionDeliveries })
    .from(subscriptions)
    .innerJoin(subscriptionDeliveries, eq(subscriptionDeliveries.subscriptionId, subscriptions.id))
    // A caller may have paused it since the lease was taken.
    .where(and(eq(subscriptions.id, lease.id), inArray(subscriptions.status, deliveringStatuses)))
  if (!row) return undefined
  const { subscription, delivery } = row
  return {
    run: { lease, subscription, failures: delivery.failures },
    start: { position: delivery.position, at: delivery.positionAt }
  }
}
