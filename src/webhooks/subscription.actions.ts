import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import { newId, unitOfWork } from '../db/unit-of-work.js'
import { retentionStart } from '../event-api/cursor.js'
import { accessRuleOfType } from '../event-api/families.js'
import { eventProblem } from '../event-api/problems.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'
import { joinWords } from '../platform/errors/language.js'
import { platformTexts } from '../platform/errors/texts.js'
import { subscriberOf } from './delivery/subscriber.js'
import { isMailTarget } from './mail/mail-target.js'
import { newSecret } from './secrets.js'
import type { TestEventQuery } from './subscription.schemas.js'
import { statusAfterTransition } from './subscription.state.js'
import { changeSubscription, lockSubscription, newTestEvent, resetFailures } from './subscription.store.js'
import { type SubscriptionRow, type SubscriptionStatus, subscriptionSecrets } from './tables.js'
import { webhookProblem } from './texts.js'
import type { WebhookPorts } from './webhooks.js'

/** Hours for which deliveries are also signed with a former secret. */
const FORMER_SECRET_HOURS = 24

/**
 * Maximum number of secrets that are valid at once. Each secret adds a signature to every delivery.
 */
const MAX_SECRETS = 5

/** Acts on a subscription. Returns its id and the ids of created resources. */
export type SubscriptionAction = (
  ports: WebhookPorts,
  call: Call,
  id: string,
  query: TestEventQuery
) => Promise<readonly string[]>

/**
 * Stops the deliveries of a subscription. Its cursor stays unchanged.
 * @throws Problem `not-found`, `forbidden`, `subscription-stopped` when it has ended or is
 * suspended.
 */
export const pauseSubscription: SubscriptionAction = (ports, call, id) =>
  changeSubscription(ports, call, id, async ({ status }) => ({ status: allowed('pause', status) }))

/**
 * Continues the deliveries after the cursor. A target that was never active gets its test event
 * first.
 * @throws Problem `not-found`, `forbidden`, `subscription-stopped` when it has ended,
 * `cursor-too-old`.
 */
export const resumeSubscription: SubscriptionAction = (ports, call, id) =>
  changeSubscription(ports, call, id, async ({ status: from, testId }, { tx }) => {
    const status = allowed('resume', from)
    const [delivery] = await resetFailures(tx, id)
    if (delivery && delivery.positionAt < retentionStart(ports.limits.eventDays))
      throw eventProblem('cursor-too-old.subscription')
    return { status: testId === null ? status : 'PENDING', statusReason: null }
  })

/**
 * Requests a test event, or the example of a type, which is delivered before further events.
 * @throws Problem `not-found`, `forbidden`, `subscription-stopped`.
 */
export const testSubscription: SubscriptionAction = (ports, call, id, { type = null }) =>
  changeSubscription(ports, call, id, async (row, { tx, at }) => {
    allowed('test', row.status)
    await resetFailures(tx, id)
    return newTestEvent(row, at, type)
  })

/**
 * Makes a new secret. For a day deliveries are also signed with the former secrets. The caller must
 * be allowed to read the events that the subscription delivers.
 * @throws Problem `not-found`, `forbidden`, `no-secret`, `too-many-secrets`,
 *   `webhooks-unavailable`.
 */
export const rotateSecret: SubscriptionAction = (ports, call, id) =>
  unitOfWork(ports, call, async ({ tx }) => {
    const secretId = newId()
    const row = await lockSubscription(tx, call, id)
    if (isMailTarget(row.target)) throw webhookProblem('no-secret')
    assertReadsEvents(call, row)
    const sealed = ports.webhooks.secretCipher().seal(newSecret(), id)
    const own = eq(subscriptionSecrets.subscriptionId, id)
    await tx.delete(subscriptionSecrets).where(and(own, lte(subscriptionSecrets.validUntil, sql`now()`)))
    const valid = await tx.select({ id: subscriptionSecrets.id }).from(subscriptionSecrets).where(own)
    if (valid.length >= MAX_SECRETS) throw webhookProblem('too-many-secrets')
    await tx
      .update(subscriptionSecrets)
      .set({ validUntil: sql`now() + make_interval(hours => ${FORMER_SECRET_HOURS})` })
      .where(and(own, isNull(subscriptionSecrets.validUntil)))
    await tx.insert(subscriptionSecrets).values({ id: secretId, subscriptionId: id, sealed })
    return [id, secretId]
  })

/**
 * @throws Problem `forbidden` when the subscription delivers events that the caller may not read.
 */
function assertReadsEvents(call: Call, row: SubscriptionRow): void {
  const { caller: subscriber } = subscriberOf(row)
  const missing = row.types
    .flatMap((type) => accessRuleOfType(type) ?? [])
    .find((rule) => isAuthorized(subscriber, rule) && !isAuthorized(call.caller, rule))
  if (missing)
    throw webhookProblem('forbidden.events', null, {
      permission: missing.permission,
      userTypes: joinWords(Object.keys(missing.scopes), platformTexts.and)
    })
}

/** @throws Problem `subscription-stopped`. */
function allowed(action: 'pause' | 'resume' | 'test', from: SubscriptionStatus): SubscriptionStatus {
  const status = statusAfterTransition(action, from)
  if (status) return status
  if (from === 'ENDED') throw webhookProblem('subscription-stopped.ended')
  throw webhookProblem('subscription-stopped.stopped', null, { status: from })
}
