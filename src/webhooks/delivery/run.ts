import { type FeedCursor, retentionStart } from '../../event-api/cursor.js'
import type { CloudEvent } from '../../event-api/event-feed.schemas.js'
import { awaitBatch } from '../../event-api/feed.js'
import { sealedSecretsOf } from '../subscription.queries.js'
import { stops } from '../subscription.state.js'
import type { SubscriptionRow } from '../tables.js'
import type { WebhookPorts } from '../webhooks.js'
import { recordDelivered, recordFailed, stopDeliveries } from './attempt.store.js'
import { type DeliveryRun, LEASE_MS, type Lease, loadRun, RENEWAL_MS, renewLease } from './lease.store.js'
import { retryDelayMs } from './retry-schedule.js'
import { DELIVERY_TIMEOUT_MS, type DeliveryOutcome, type Sender } from './sender.js'
import { signedDelivery } from './sign.js'
import { auditOfDelivery, deliveredEvent, subscriberOf, testEvent } from './subscriber.js'

/** What a run needs to deliver. */
export interface Courier {
  ports: WebhookPorts
  sender: Sender
  /** Aborts attempts when the server closes. */
  signal: AbortSignal
  measure(result: string, durationMs: number): void
}

/** Events that are read at once. Their visibility is that of this moment. */
const BATCH_SIZE = 20

/** Milliseconds of a lease that must remain after an attempt, to record it. */
const RECORDING_MS = 5000

/**
 * Delivers the test event of a subscription, and its events in the order of the ledger, one after
 * the other, until a delivery fails, a caller changes the subscription, or the lease is lost.
 * @param isOver whether to end.
 */
export async function runSubscription(courier: Courier, lease: Lease, isOver: () => boolean): Promise<void> {
  const { ports } = courier
  const run = await loadRun(ports.db, lease)
  if (!run) return
  const { subscription } = run
  const since = retentionStart(ports.limits.eventDays)
  if (run.cursor.at < since) return stopDeliveries(ports.db, subscription, stops.outdated)
  const test = testEvent(ports.resourceUrls, subscription)
  if (test && !(await deliver(courier, run, test))) return

  const subscriber = subscriberOf(subscription)
  while (!isOver()) {
    const renewal = performance.now() + RENEWAL_MS
    const request = { after: run.cursor, since, types: subscription.types, limit: BATCH_SIZE }
    const batch = await awaitBatch(ports, subscriber, request, () => isOver() || performance.now() > renewal)
    for (const row of batch.events) {
      if (isOver()) return
      const record = auditOfDelivery(subscriber, row)
      if (record) await ports.audit.record(record, null)
      const after = { position: row.position, at: row.time }
      if (!(await deliver(courier, run, deliveredEvent(ports.resourceUrls, row), after))) return
    }
    run.cursor = batch.next
    if (!(await renewLease(ports.db, run, false))) return
  }
}

/**
 * Attempts to deliver an event. No transaction is open meanwhile. A failure ends the run until the
 * next attempt is due.
 * @param after the cursor past the event. A test event has none.
 * @returns whether the run goes on.
 */
async function deliver(
  courier: Courier,
  run: DeliveryRun,
  event: CloudEvent,
  after?: FeedCursor
): Promise<boolean> {
  const { ports, signal, measure } = courier
  const asked = performance.now()
  if (!(await renewLease(ports.db, run, true))) return false
  const sealed = await sealedSecretsOf(ports.db, run.subscription.id)
  // A database that took this long leaves too little of the lease.
  const isLate = performance.now() - asked > LEASE_MS - DELIVERY_TIMEOUT_MS - RECORDING_MS
  const isDeleted = sealed.length === 0
  if (isLate || isDeleted) return false
  const [time, start] = [new Date(), performance.now()]
  const outcome = await send(courier, run.subscription, event, sealed)
  const { result } = outcome
  if (result === 'ABORTED' && signal.aborted) return false
  const durationMs = Math.round(performance.now() - start)
  measure(result, durationMs)
  const number = run.failures + 1
  const { id, type } = event
  const attempt = { time: time.toISOString(), event: id, type, attempt: number, result, durationMs }
  if (result !== 'DELIVERED') {
    await recordFailed(ports.db, run, attempt, retryOrStop(outcome, number))
    return false
  }
  run.failures = 0
  run.cursor = after ?? run.cursor
  return recordDelivered(ports.db, run, attempt, after === undefined)
}

async function send(
  { ports, sender, signal }: Courier,
  { id, target }: SubscriptionRow,
  event: CloudEvent,
  sealed: readonly { sealed: Uint8Array }[]
): Promise<DeliveryOutcome> {
  const secrets = sealed.map((each) => openSecret(ports, id, each.sealed))
  // Former secrets may have been encrypted with a key that is lost. The present one is the last.
  if (secrets.at(-1) === undefined) return { result: 'SECRET_UNREADABLE' }
  const readable = secrets.filter((secret) => secret !== undefined)
  return sender.send(signedDelivery(target, event, readable), signal)
}

/** Decrypts a secret. Undefined without a key, or with another one. */
function openSecret({ webhooks }: WebhookPorts, id: string, sealed: Uint8Array): string | undefined {
  try {
    return webhooks.secretBox().open(sealed, id)
  } catch {
    return undefined
  }
}

/** Milliseconds until the next attempt, or why there is none. */
const retryOrStop = ({ result, retryAfterMs }: DeliveryOutcome, failures: number) =>
  result === 'STATUS_410' ? stops.gone : (retryDelayMs(failures, retryAfterMs) ?? stops.exhausted)
