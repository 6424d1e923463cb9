import { setTimeout as pause } from 'node:timers/promises'
import { and, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { KeyReservation } from '../platform/auth/key-reservation.js'
import { isConnectionLost } from '../platform/errors/pg-errors.js'
import { problem } from '../platform/errors/problem.js'
import type { Database, Queryable, Transaction } from './driver/database.js'
import { idempotencyKeys } from './tables.js'

/** The time for which the API promises the same response to a repeat. */
const RETENTION = sql`interval '24 hours'`

/** Keys that one statement deletes, so that it does not hold their locks for long. */
const DELETE_BATCH_SIZE = 1000

/** Attempts to release a key while connections are lost. */
const MAX_ATTEMPTS = 3
const RETRY_DELAY_MS = 200

/** What to reserve, and for how long. */
export interface KeyRequest extends Pick<KeyReservation, 'id' | 'run'> {
  /** Hash of the request, to recognize another one with the same key. */
  request: Uint8Array
  /** Milliseconds until another run may take over, if this one has no result by then. */
  leaseMs: number
}

const isExpired = sql<boolean>`${idempotencyKeys.createdAt} < clock_timestamp() - ${RETENTION}`
const isLeaseOver = sql<boolean>`${idempotencyKeys.leaseUntil} < clock_timestamp()`

/**
 * Reserves a key for a run of its request, in a transaction of its own.
 * @returns the result of an earlier run, or undefined when the key is reserved.
 * @throws Problem `idempotency-key-reused` for another request, `idempotency-key-in-use` while
 *   another run holds the key.
 */
export async function reserveKey(db: Database, wanted: KeyRequest): Promise<object | undefined> {
  const { id, run, request, leaseMs } = wanted
  const reservation = {
    id,
    run,
    request,
    result: null,
    leaseUntil: sql`clock_timestamp() + ${Math.ceil(leaseMs)}::int * interval '1 ms'`,
    createdAt: sql`clock_timestamp()`
  }
  const inserted = await db
    .insert(idempotencyKeys)
    .values(reservation)
    .onConflictDoNothing()
    .returning({ run: idempotencyKeys.run })
  if (inserted.length > 0) return undefined
  const [found] = await db
    .select({ request: idempotencyKeys.request, result: idempotencyKeys.result, isExpired, isLeaseOver })
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.id, id))
  // Released since the insert.
  if (!found) throw keyInUse()
  if (!found.isExpired) {
    if (!Buffer.from(found.request).equals(request)) throw keyReused()
    if (found.result) return found.result
    if (!found.isLeaseOver) throw keyInUse()
  }
  const taken = await db
    .update(idempotencyKeys)
    .set(reservation)
    .where(and(eq(idempotencyKeys.id, id), or(isExpired, and(isNull(idempotencyKeys.result), isLeaseOver))))
    .returning({ run: idempotencyKeys.run })
  // Another run took over first, or the earlier one has committed.
  if (taken.length === 0) throw keyInUse()
  return undefined
}

/**
 * Stores the result of a run, in the transaction that writes what it made. Locks the reservation
 * until the transaction ends, so that no other run can take it over meanwhile.
 * @throws Problem `idempotency-key-in-use` when another run has taken over: the transaction must be
 *   rolled back.
 */
export async function saveResult(tx: Transaction, reservation: KeyReservation, made: unknown): Promise<void> {
  const saved = await tx
    .update(idempotencyKeys)
    .set({ result: reservation.toResult(made) })
    .where(reservedBy(reservation))
    .returning({ run: idempotencyKeys.run })
  if (saved.length === 0) throw keyInUse()
  reservation.isSaved = true
}

/**
 * Releases a reservation without a result, so that a repeat runs again. A commit of its run that is
 * still in flight holds the row: this waits for it, and then leaves the result. Tries again on a
 * lost connection, because all of them may be lost at once.
 */
export async function releaseKey(db: Database, reservation: KeyReservation): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await db.delete(idempotencyKeys).where(reservedBy(reservation))
      return
    } catch (cause) {
      if (attempt === MAX_ATTEMPTS || !isConnectionLost(cause)) throw cause
      await pause(RETRY_DELAY_MS)
    }
}

const reservedBy = ({ id, run }: KeyReservation): SQL | undefined =>
  and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.run, run), isNull(idempotencyKeys.result))

/**
 * Deletes keys that are older than 24 hours, in several statements, and returns their number.
 * @param mayContinue asked before each statement.
 */
export async function deleteExpiredKeys(db: Queryable, mayContinue = () => true): Promise<number> {
  let total = 0
  while (mayContinue()) {
    const expired = db
      .select({ id: idempotencyKeys.id })
      .from(idempotencyKeys)
      // Not the time of the clock, which is no constant: PostgreSQL would not use the index.
      .where(lt(idempotencyKeys.createdAt, sql`statement_timestamp() - ${RETENTION}`))
      .limit(DELETE_BATCH_SIZE)
      .for('update', { skipLocked: true })
    const deleted = await db
      .delete(idempotencyKeys)
      .where(sql`${idempotencyKeys.id} = any(array(${expired}))`)
      .returning({ run: idempotencyKeys.run })
    total += deleted.length
    if (deleted.length < DELETE_BATCH_SIZE) break
  }
  return total
}

const keyInUse = () =>
  problem(
    'idempotency-key-in-use',
    'Another request with this Idempotency-Key is running. Repeat this one to get its response.',
    { headers: { 'retry-after': '1' } }
  )

const keyReused = () =>
  problem(
    'idempotency-key-reused',
    'An earlier request with this Idempotency-Key had another URL or another body. Use a new key for each request.'
  )
