import type { FeedCursor } from '../../event-api/cursor.js'
import type { Mailer } from '../mail/mailer.js'
import { stopReasons } from '../subscription.state.js'
import type { WebhookPorts } from '../webhooks.js'
import { recordDelivered, recordFailed } from './attempt.store.js'
import { type DeliveryRun, LEASE_MS, renewLease } from './lease.store.js'
import { retryDelayMs } from './retry-schedule.js'
import { DELIVERY_TIMEOUT_MS, type DeliveryOutcome, type Sender } from './sender.js'

export interface RunDependencies {
  ports: WebhookPorts
  sender: Sender
  /** Undefined if the operator has not configured mail. */
  mailer: Mailer | undefined
  /** Aborts attempts when the server closes. */
  signal: AbortSignal
  measure(result: string, durationMs: number): void
}

/** Milliseconds of a lease that must remain after an attempt, to record it. */
const RECORDING_MS = 5000

/**
 * Attempts a delivery and records its result. No transaction is open meanwhile. A failure ends the
 * run until the next attempt is due.
 * @param delivered the id and type of the event.
 * @param send returns undefined when the subscription has been deleted.
 * @param after the cursor after the delivered events. A test event has no cursor.
 * @returns whether the run continues.
 */
export async function attemptDelivery(
  { ports, signal, measure }: RunDependencies,
  run: DeliveryRun,
  { id, type }: { id: string; type: string },
  send: () => Promise<DeliveryOutcome | undefined>,
  after?: FeedCursor
): Promise<boolean> {
  const asked = performance.now()
  if (!(await renewLease(ports.db, run))) return false
  // After such a long wait for the database too little of the lease remains.
  if (performance.now() - asked > LEASE_MS - DELIVERY_TIMEOUT_MS - RECORDING_MS) return false
  const [time, start] = [new Date(), performance.now()]
  const outcome = await send()
  if (!outcome || (outcome.result === 'ABORTED' && signal.aborted)) return false
  const { result } = outcome
  const durationMs = Math.round(performance.now() - start)
  measure(result, durationMs)
  const number = run.failures + 1
  const attempt = { time: time.toISOString(), event: id, type, attempt: number, result, durationMs }
  if (result !== 'DELIVERED') {
    await recordFailed(ports.db, run, attempt, retryOrStop(outcome, number))
    return false
  }
  run.failures = 0
  run.cursor = after ?? run.cursor
  return recordDelivered(ports.db, run, attempt, after === undefined)
}

/** Milliseconds until the next attempt, or the reason why there is no attempt. */
const retryOrStop = ({ result, retryAfterMs }: DeliveryOutcome, failures: number) =>
  result === 'STATUS_410' ? stopReasons.gone : (retryDelayMs(failures, retryAfterMs) ?? stopReasons.exhausted)
