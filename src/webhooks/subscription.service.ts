import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../db/driver/database.js'
import { newId, unitOfWork } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { FieldErrors } from '../platform/errors/field-errors.js'
import { assertRevision } from '../platform/rest/revision.js'
import { isMailTarget, isPartyAddress, mailAddressOf } from './mail/mail-target.js'
import { isSecret, newSecret } from './secrets.js'
import { subscriptionOwnedBy } from './subscription.queries.js'
import type { SubscriptionInput, SubscriptionReplacement } from './subscription.schemas.js'
import { statusAfterTransition } from './subscription.state.js'
import { changeSubscription, lockSubscription, newTestEvent, resetFailures } from './subscription.store.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './tables.js'
import { targetFault } from './targets.js'
import { webhookProblem } from './texts.js'
import type { WebhookPorts } from './webhooks.js'

/**
 * Maximum number of subscriptions of an organization. Each subscription is a reader of the ledger.
 */
const MAX_SUBSCRIPTIONS = 100

/**
 * Creates a subscription of the caller's organization with the rights of the caller, and returns
 * its id and the id of its secret. The subscription begins with new events, and a test event is
 * delivered first.
 * @throws Problem `target-not-allowed`, `invalid-body`, `too-many-subscriptions`,
 *   `webhooks-unavailable`.
 */
export async function createSubscription(
  ports: WebhookPorts,
  call: Call,
  { target, types, secret }: SubscriptionInput
): Promise<readonly string[]> {
  const { webhooks } = ports
  const errors = new FieldErrors()
  const isMail = isMailTarget(target)
  if (typeof secret === 'string' && (isMail || !isSecret(secret)))
    errors.add(webhookProblem(isMail ? 'invalid-body.mailSecret' : 'invalid-body.secret', '/secret'))
  await checkTarget(ports, call, errors, target)
  errors.check()
  const [id, secretId] = [newId(), newId()]
  const sealed = isMail ? undefined : webhooks.secretCipher().seal(secret ?? newSecret(), id)
  // Called before the transaction, because it waits for open transactions, so that few older events
  // are delivered.
  const position = await ports.horizon.complete()
  const made = await unitOfWork(ports, call, async ({ tx, at }) => {
    await checkCount(tx, call)
    await tx.insert(subscriptions).values({
      id,
      target,
      types: unique(types),
      ...rightsOf(call),
      organization: call.caller.organization ?? '',
      status: 'PENDING',
      revision: 1,
      ...newTestEvent({ testCount: 0 }, at),
      createdAt: at
    })
    if (sealed) await tx.insert(subscriptionSecrets).values({ id: secretId, subscriptionId: id, sealed })
    await tx
      .insert(subscriptionDeliveries)
      .values({ subscriptionId: id, position, positionAt: at, failures: 0, attempts: [] })
    return sealed ? [id, secretId] : [id]
  })
  webhooks.wake(id)
  return made
}

/**
 * Replaces target and types. From then on the rights of this caller decide which events are
 * delivered. Another target gets a test event first, and then the events that the former target did
 * not get.
 * @throws Problem `not-found`, `forbidden`, `precondition-failed`, `target-not-allowed`.
 */
export async function replaceSubscription(
  ports: WebhookPorts,
  call: Call,
  id: string,
  { target, types }: SubscriptionReplacement
): Promise<void> {
  const errors = new FieldErrors()
  await checkTarget(ports, call, errors, target)
  errors.check()
  await changeSubscription(ports, call, id, async (row, { tx, at }) => {
    assertRevision(call, () => String(row.revision))
    if (isMailTarget(row.target) !== isMailTarget(target))
      throw webhookProblem('target-not-allowed.otherKind', '/target')
    const written = { target, types: unique(types), ...rightsOf(call) }
    if (row.target === target) return written
    await resetFailures(tx, id)
    const status = statusAfterTransition('retarget', row.status)
    return { ...written, ...(status && { status, statusReason: null }), ...newTestEvent(row, at) }
  })
}

/**
 * Deletes a subscription of the caller's organization.
 * @throws Problem `not-found`, `forbidden`, `precondition-failed`.
 */
export async function deleteSubscription(ports: WebhookPorts, call: Call, id: string): Promise<void> {
  await unitOfWork(ports, call, async ({ tx }) => {
    const row = await lockSubscription(tx, call, id)
    assertRevision(call, () => String(row.revision))
    await tx.delete(subscriptionDeliveries).where(eq(subscriptionDeliveries.subscriptionId, id))
    await tx.delete(subscriptionSecrets).where(eq(subscriptionSecrets.subscriptionId, id))
    await tx.delete(subscriptions).where(eq(subscriptions.id, id))
  })
  ports.webhooks.wake(id)
}

/** Checks a URL, or the address of a party of the caller's organization. */
async function checkTarget(
  { db, webhooks }: WebhookPorts,
  { caller: { organization = '' } }: Call,
  errors: FieldErrors,
  target: string
): Promise<void> {
  const mailFault = async () => {
    if (!webhooks.hasMail) return 'noMail'
    const address = mailAddressOf(target)
    return address && (await isPartyAddress(db, organization, address)) ? undefined : 'mailAddress'
  }
  const fault = isMailTarget(target) ? await mailFault() : targetFault(webhooks.targets, target)
  if (fault) errors.add(webhookProblem(`target-not-allowed.${fault}`, '/target'))
}

/** Serializes the creations of an organization, so that each counts the committed subscriptions. */
async function checkCount(tx: Transaction, call: Call): Promise<void> {
  const lockName = `subscriptions of ${call.caller.organization ?? ''}`
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`)
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(subscriptions)
    .where(subscriptionOwnedBy(call))
  if ((row?.count ?? 0) >= MAX_SUBSCRIPTIONS) throw webhookProblem('too-many-subscriptions')
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

const rightsOf = ({ caller: { userType, userId, permissions } }: Call) => ({
  userType,
  userId: userId ?? null,
  permissions: [...permissions].sort()
})
