import type { FeedCursor } from '../../cursor.js'
import type { CloudEvent } from '../../event-feed.schemas.js'
import { sealedSecretsOf } from '../secret.queries.js'
import { stops } from '../subscription.state.js'
import type { SubscriptionRow } from '../tables.js'
import type { WebhookPorts } from '../webhooks.js'
import { recordDelivered, recordFailed } from './attempt.store.js'
import { LEASE_MS, type Lease, renewLease } from './lease.store.js'
import { retryDelayMs } from './retry-schedule.js'
import { DELIVERY_TIMEOUT_MS, type DeliveryOutcome, type Sender } from './sender.js'
import { signedDelivery } from './sign.js'

/** Milliseconds of a lease that must remain after an attempt, to record it. */
const RECORDING_MS = 5000

/** What a run needs to deliver. */
export interface Courier {
  ports: WebhookPorts
  sender: Sender
  /** Aborts attempts when the server closes. */
  signal: AbortSignal
  measure(result: string, durationMs: number): void
}

/** A subscription, its lease, and its failures in a row. */
export interface DeliveryRun {
  lease: Lease
  subscription: SubscriptionRow
  failures: number
}

/**
 * Attempts to deliver an event. No transaction is open meanwhile. A failure ends the run until the
 * next attempt is due.
 * @param cursor before the event.
 * @param next past it. A test event has none.
 * @returns whether the run goes on.
 */
export async function attemptDelivery(
  courier: Courier,
  run: DeliveryRun,
  event: CloudEvent,
  cursor: FeedCursor,
  next?: FeedCursor
): Promise<boolean> {
  const { ports, signal, measure } = courier
  const { lease, subscription, failures } = run
  const asked = performance.now()
  const now = await renewLease(ports.db, lease, subscription, cursor, true)
  if (!now) return false
  const sealed = await sealedSecretsOf(ports.db, subscription.id)
  // A database that took this long leaves too little of the lease.
  const isLate = performance.now() - asked > LEASE_MS - DELIVERY_TIMEOUT_MS - RECORDING_MS
  const isDeleted = sealed.length === 0
  if (isLate || isDeleted || now.revision !== subscription.revision) return false
  const start = performance.now()
  const time = new Date()
  const outcome = await send(courier, subscription, event, sealed)
  const durationMs = Math.round(performance.now() - start)
  if (outcome.result === 'ABORTED' && signal.aborted) return false
  measure(outcome.result, durationMs)
  const attempt = {
    time: time.toISOString(),
    event: event.id,
    type: event.type,
    attempt: failures + 1,
    result: outcome.result,
    durationMs
  }
  if (outcome.result === 'DELIVERED') {
    run.failures = 0
    return recordDelivered(ports.db, lease, attempt, next)
  }
  await recordFailed(ports.db, lease, subscription, attempt, retryOrStop(outcome, failures + 1))
  return false
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
