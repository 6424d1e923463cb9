import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import { type Page, type PageRequest, serializedPage } from '../platform/rest/pagination.js'
import { Versioned } from '../platform/rest/revision.js'
import type { NewSecret, Subscription } from './subscription.schemas.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './tables.js'
import type { WebhookPorts } from './webhooks.js'

export const subscriptionOwnedBy = ({ caller: { organization } }: Call): SQL =>
  eq(subscriptions.organization, organization ?? '')

/**
 * Seconds since the time of the cursor. The time of the next event would disclose the time of a
 * change by another organization.
 */
const lag = sql<number>`greatest(0, floor(extract(epoch from now() - ${subscriptionDeliveries.positionAt})))::int`

const rowsOf = (db: Database, condition: SQL | undefined) =>
  db
    .select({ subscription: subscriptions, delivery: subscriptionDeliveries, lag })
    .from(subscriptions)
    .innerJoin(subscriptionDeliveries, eq(subscriptionDeliveries.subscriptionId, subscriptions.id))
    .where(condition)
    .orderBy(asc(subscriptions.id))
type Row = Awaited<ReturnType<typeof rowsOf>>[number]

export async function viewSubscription(
  { db }: { db: Database },
  call: Call,
  id: string
): Promise<Versioned<Subscription>> {
  const [row] = await rowsOf(db, and(eq(subscriptions.id, id), subscriptionOwnedBy(call)))
  if (!row) throw problem('not-found')
  return new Versioned(toSubscription(row), String(row.subscription.revision))
}

/** Lists a page of the subscriptions of the caller's organization, in order of creation. */
export async function listSubscriptions(
  { db }: { db: Database },
  call: Call,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const condition = and(subscriptionOwnedBy(call), after ? gt(subscriptions.id, after) : undefined)
  const rows = await rowsOf(db, condition).limit(limit + 1)
  return serializedPage(
    rows,
    request,
    ({ subscription }) => subscription.id,
    (row) => JSON.stringify(toSubscription(row))
  )
}

function toSubscription({ subscription, delivery, lag: lagSeconds }: Row): Subscription {
  const { id, target, types, status, statusReason, organization, userType, permissions } = subscription
  return {
    id,
    target,
    types,
    status,
    statusReason,
    organization,
    userType,
    permissions,
    created: subscription.createdAt.toISOString(),
    deliveredUntil: delivery.positionAt.toISOString(),
    lagSeconds,
    failures: delivery.failures,
    nextAttempt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts
  }
}

/** The encrypted secrets of a subscription that are valid now, the present secret last. */
export const sealedSecretsOf = (db: Database, id: string) =>
  db
    .select({
      id: subscriptionSecrets.id,
      sealed: subscriptionSecrets.sealed,
      validUntil: subscriptionSecrets.validUntil
    })
    .from(subscriptionSecrets)
    .where(
      and(
        eq(subscriptionSecrets.subscriptionId, id),
        or(isNull(subscriptionSecrets.validUntil), gt(subscriptionSecrets.validUntil, sql`now()`))
      )
    )
    .orderBy(asc(subscriptionSecrets.validUntil))

/**
 * Reads a secret that the caller has made, for the response that shows it. A repeat of that request
 * gets the same secret, not a later one.
 * @param ids of the subscription and of the secret.
 * @throws Problem `not-found`, `webhooks-unavailable`.
 */
export async function viewSecret(
  ports: WebhookPorts,
  call: Call,
  [id = '', secretId = '']: readonly string[]
): Promise<NewSecret> {
  await viewSubscription(ports, call, id)
  const secrets = await sealedSecretsOf(ports.db, id)
  const at = secrets.findIndex((each) => each.id === secretId)
  const made = secrets[at]
  if (!made) throw problem('not-found')
  const former = secrets[at - 1]?.validUntil ?? new Date()
  return {
    secret: ports.webhooks.secretCipher().open(made.sealed, id),
    formerValidUntil: former.toISOString()
  }
}
