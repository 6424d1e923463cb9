import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { IdempotencyKey } from '../platform/auth/call.js'
import { problem, problemsOf } from '../platform/errors/problem.js'
import type { Database, Queryable, Transaction } from './driver/database.js'
import { idempotencyKeys } from './tables.js'
import { dbProblems } from './texts.js'

const dbProblem = problemsOf(dbProblems)

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
    .where(and(eq(idempotencyKeys.id, id), gt(idempotencyKeys.createdAt, oldest)))
  if (found && !Buffer.from(found.request).equals(request))
    throw dbProblem('idempotency-key-reused.otherRequest')
  return found?.result
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
      setWhere: lt(idempotencyKeys.createdAt, oldest)
    })
    .returning({ id: idempotencyKeys.id })
  if (stored.length === 0) throw problem('busy', null, null, { headers: { 'retry-after': '1' } })
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
