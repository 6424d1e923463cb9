import { and, eq, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { IdempotencyKey } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import type { Database, Queryable, Transaction } from './driver/database.js'
import { idempotencyKeys } from './tables.js'

/** The time for which the API promises the same response to a repeat. */
const RETENTION = sql`interval '24 hours'`

/** Keys that one statement deletes, so that it does not hold their locks for long. */
const DELETE_BATCH_SIZE = 1000

// Not the time of the clock, which is no constant: PostgreSQL would not use the index.
const oldest = sql`statement_timestamp() - ${RETENTION}`

/**
 * Finds the result of an earlier request with this key. Undefined if there is none.
 * @throws Problem `idempotency-key-reused` when it was another request.
 */
export async function findResult(db: Database, { id, request }: IdempotencyKey): Promise<object | undefined> {
  const [found] = await db
    .select({ request: idempotencyKeys.request, result: idempotencyKeys.result })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.id, id),
        gt(idempotencyKeys.createdAt, oldest),
        isNotNull(idempotencyKeys.result)
      )
    )
  if (found && !Buffer.from(found.request).equals(request)) throw keyReused()
  return found?.result ?? undefined
}

/**
 * Stores the result of a request in the transaction that writes what it made. Waits for the
 * transaction of another request with the same key.
 * @throws Problem `busy` when that was committed: this transaction must be rolled back.
 */
export async function storeResult(tx: Transaction, key: IdempotencyKey, made: unknown): Promise<void> {
  const row = { request: key.request, result: key.toResult(made), createdAt: sql`clock_timestamp()` }
  const stored = await tx
    .insert(idempotencyKeys)
    .values({ id: key.id, ...row })
    .onConflictDoUpdate({
      target: idempotencyKeys.id,
      set: row,
      setWhere: sql`${lt(idempotencyKeys.createdAt, oldest)} or ${isNull(idempotencyKeys.result)}`
    })
    .returning({ id: idempotencyKeys.id })
  if (stored.length === 0)
    throw problem('busy', undefined, {
      headers: { 'retry-after': '1' }
    })
}

/**
 * Deletes keys that are older than 24 hours, in several statements, and returns their number.
 * @param signal ends it before the next statement.
 */
export async function deleteExpiredKeys(db: Queryable, signal?: AbortSignal): Promise<number> {
  let total = 0
  while (!signal?.aborted) {
    const expired = db
      .select({ id: idempotencyKeys.id })
      .from(idempotencyKeys)
      .where(lt(idempotencyKeys.createdAt, oldest))
      .limit(DELETE_BATCH_SIZE)
      .for('update', { skipLocked: true })
    const deleted = await db
      .delete(idempotencyKeys)
      .where(sql`${idempotencyKeys.id} = any(array(${expired}))`)
      .returning({ id: idempotencyKeys.id })
    total += deleted.length
    if (deleted.length < DELETE_BATCH_SIZE) break
  }
  return total
}

const keyReused = () =>
  problem('idempotency-key-reused', {
    en: 'An earlier request with this Idempotency-Key had another URL or another body. Use a new key for each request.',
    da: 'En tidligere anmodning med denne Idempotency-Key havde en anden adresse eller en anden krop. Brug en ny nøgle til hver anmodning.'
  })
