import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../db/driver/database.js'
import { newId, unitOfWork } from '../db/unit-of-work.js'
import { accessRuleOfType } from '../event-api/families.js'
import type { EventType } from '../ledger/event-types.js'
import type { AccessRule } from '../platform/auth/access-rule.js'
import type { Call } from '../platform/auth/call.js'
import type { Caller } from '../platform/auth/caller.js'
import { problem } from '../platform/errors/problem.js'
import { subscriptionOwnedBy } from './subscription.queries.js'
import { type SubscriptionRow, subscriptionDeliveries, subscriptions } from './tables.js'
import { webhookProblem } from './texts.js'
import type { WebhookPorts } from './webhooks.js'

/**
 * Locks a subscription of the caller's organization for a change. The caller's user type must be
 * able to read its events.
 * @throws Problem `not-found`, `forbidden`.
 */
export async function lockSubscription(tx: Transaction, call: Call, id: string): Promise<SubscriptionRow> {
  const [row] = await tx
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.id, id), subscriptionOwnedBy(call)))
    .for('update')
  if (!row) throw problem('not-found')
  if (!readsAll(call.caller, row))
    throw webhookProblem('forbidden.userType', null, { userType: row.userType })
  return row
}

/** Whether a user type may read each event that the stored user type may read. */
const readsAll = ({ userType }: Caller, row: SubscriptionRow): boolean =>
  row.types.every((type) => {
    const { scopes = {} }: Partial<AccessRule> = accessRuleOfType(type) ?? {}
    const [stored, own] = [scopes[row.userType], scopes[userType]]
    return stored === undefined || own === stored || own === 'any'
  })

type Change = Partial<Omit<typeof subscriptions.$inferInsert, 'id' | 'revision'>>

/**
 * Changes a subscription of the caller's organization, and returns its id. The present run of the
 * subscription ends.
 * @throws Problem `not-found`, `forbidden`.
 */
export async function changeSubscription(
  ports: WebhookPorts,
  call: Call,
  id: string,
  decide: (row: SubscriptionRow, work: { tx: Transaction; at: Date }) => Promise<Change>
): Promise<readonly string[]> {
  const changed = await unitOfWork(ports, call, async ({ tx, at }) => {
    const row = await lockSubscription(tx, call, id)
    const values = await decide(row, { tx, at })
    await tx
      .update(subscriptions)
      .set({ ...values, revision: row.revision + 1 })
      .where(eq(subscriptions.id, id))
    return [id]
  })
  ports.webhooks.wake(id)
  return changed
}

export const newTestEvent = (
  { testCount }: Pick<SubscriptionRow, 'testCount'>,
  at: Date,
  type: EventType | null = null
) => ({
  testId: newId(),
  testAt: at,
  testType: type,
  testCount: testCount + 1
})

/** Resets the failures of a subscription, so that its next attempt is made now. */
export const resetFailures = (tx: Transaction, id: string) =>
  tx
    .update(subscriptionDeliveries)
    .set({ failures: 0, nextAttemptAt: null })
    .where(eq(subscriptionDeliveries.subscriptionId, id))
    .returning({ positionAt: subscriptionDeliveries.positionAt })
