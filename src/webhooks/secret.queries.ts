import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import { subscriptionNotFound, viewSubscription } from './subscription.queries.js'
import type { NewSecret } from './subscription.schemas.js'
import { subscriptionSecrets } from './tables.js'
import type { WebhookPorts } from './webhooks.js'

/** The encrypted secrets of a subscription that are valid now, the present one last. */
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
 * gets the same secret, not one that others made since.
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
  if (!made) throw subscriptionNotFound()
  const former = secrets[at - 1]?.validUntil ?? new Date()
  return {
    secret: ports.webhooks.secretBox().open(made.sealed, id),
    formerValidUntil: former.toISOString()
  }
}
