import { Webhook } from 'standardwebhooks'
import { cloudEventOf } from '../../event-api/cloud-event.js'
import { type FeedCursor, retentionStart } from '../../event-api/cursor.js'
import type { CloudEvent } from '../../event-api/event-feed.schemas.js'
import { awaitBatch } from '../../event-api/feed.js'
import { recordOrders } from '../../event-api/subjects.js'
import { isMailTarget } from '../mail/mail-target.js'
import { runMail } from '../mail/run-mail.js'
import { sealedSecretsOf } from '../subscription.queries.js'
import { stopReasons } from '../subscription.state.js'
import type { WebhookPorts } from '../webhooks.js'
import { attemptDelivery, type RunDependencies } from './attempt.js'
import { stopDeliveries } from './attempt.store.js'
import { type DeliveryRun, type Lease, loadRun, RENEWAL_MS, renewLease } from './lease.store.js'
import type { Delivery, DeliveryOutcome } from './sender.js'
import { subscriberOf, testEvent } from './subscriber.js'

/** Maximum number of events that are read at once. Their visibility is evaluated at this moment. */
const BATCH_SIZE = 20

/**
 * Delivers the test event of a subscription, and its events in the order of the ledger, one after
 * the other, until a delivery fails, a caller changes the subscription, or the lease is lost.
 * @param isOver whether the run must end.
 */
export async function runSubscription(
  dependencies: RunDependencies,
  lease: Lease,
  isOver: () => boolean
): Promise<void> {
  const { ports } = dependencies
  const run = await loadRun(ports.db, lease)
  if (!run) return
  const { subscription } = run
  const since = retentionStart(ports.limits.eventDays)
  if (run.cursor.at < since) return stopDeliveries(ports.db, subscription, stopReasons.outdated)
  if (isMailTarget(subscription.target)) return runMail(dependencies, run, isOver)
  const test = testEvent(ports.resourceUrls, subscription)
  if (test && !(await deliver(dependencies, run, test))) return

  const subscriber = subscriberOf(subscription)
  while (!isOver()) {
    const renewal = performance.now() + RENEWAL_MS
    const request = { after: run.cursor, since, types: subscription.types, limit: BATCH_SIZE }
    const batch = await awaitBatch(ports, subscriber, request, () => isOver() || performance.now() > renewal)
    for (const row of batch.events) {
      if (isOver()) return
      await recordOrders(ports, subscriber, [row])
      const after = { position: row.position, at: row.time }
      if (!(await deliver(dependencies, run, cloudEventOf(ports.resourceUrls, row), after))) return
    }
    run.cursor = batch.next
    if (!(await renewLease(ports.db, run))) return
  }
}

const deliver = (dependencies: RunDependencies, run: DeliveryRun, event: CloudEvent, after?: FeedCursor) =>
  attemptDelivery(dependencies, run, event, () => send(dependencies, run, event), after)

/** Signs and sends an event. Undefined when the subscription has been deleted. */
async function send(
  { ports, sender, signal }: RunDependencies,
  { subscription: { id, target } }: DeliveryRun,
  event: CloudEvent
): Promise<DeliveryOutcome | undefined> {
  const sealed = await sealedSecretsOf(ports.db, id)
  if (sealed.length === 0) return undefined
  const secrets = sealed.map((each) => openSecret(ports, id, each.sealed))
  // Former secrets may have been encrypted with a lost key. The present secret is the last.
  if (secrets.at(-1) === undefined) return { result: 'SECRET_UNREADABLE' }
  const readable = secrets.filter((secret) => secret !== undefined)
  return sender.send(signedDelivery(target, event, readable), signal)
}

/**
 * Makes a delivery of an event, signed with each secret (Standard Webhooks). During a rotation
 * there are several secrets. Every attempt has the id of the event.
 */
export function signedDelivery(
  target: string,
  event: CloudEvent,
  secrets: readonly string[],
  at = new Date()
): Delivery {
  const body = JSON.stringify(event)
  return {
    target,
    body,
    headers: {
      'content-type': 'application/cloudevents+json',
      'user-agent': 'ssl-backend',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, at, body)).join(' ')
    }
  }
}

/** Decrypts a secret. Undefined without the key, or with another key. */
function openSecret({ webhooks }: WebhookPorts, id: string, sealed: Uint8Array): string | undefined {
  try {
    return webhooks.secretCipher().open(sealed, id)
  } catch {
    return undefined
  }
}
