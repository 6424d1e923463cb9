import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import type { Actor } from '../../platform/auth/actor.js'
import { subscriptionNotFound, viewSubscription } from './subscription.queries.js'
import type { NewSecret } from './subscription.schemas.js'
import { subscriptionSecrets } from './tables.js'
import type { WebhookPorts } from './webhooks.js'

/** The encrypted secrets of a subscription that are valid now, the present one last. */
export const sealedSecretsOf = (db: Database, id: string) =>
  db
    .select({ sealed: subscriptionSecrets.sealed, validUntil: subscriptionSecrets.validUntil })
    .from(subscriptionSecrets)
    .where(
      and(
        eq(subscriptionSecrets.subscriptionId, id),
        or(isNull(subscriptionSecrets.validUntil), gt(subscriptionSecrets.validUntil, sql`now()`))
      )
    )
    .orderBy(asc(subscriptionSecrets.validUntil))

/**
 * Reads the present secret of a subscription of the caller's organization, for the response that
 * shows it.
 * @throws Problem `not-found`, `webhooks-unavailable`.
 */
export async function viewSecret(ports: WebhookPorts, actor: Actor, id: string): Promise<NewSecret> {
  await viewSubscription(ports, actor, id)
  const secrets = await sealedSecretsOf(ports.db, id)
  const present = secrets.at(-1)
  if (!present) throw subscriptionNotFound()
  const former = secrets.at(-2)?.validUntil ?? new Date()
  return {
    secret: ports.webhooks.secretBox().open(present.sealed, id),
    formerValidUntil: former.toISOString()
  }
}
