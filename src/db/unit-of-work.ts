import { lt, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { v7 } from 'uuid'
import type { Call, IdempotencyKey } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import type { Database, Transaction } from './driver/database.js'
import { idempotencyKeys } from './tables.js'

/** A unit of work. Its writes are committed together or not at all. */
export interface UnitOfWork<C extends Call | null = Call> {
  tx: Transaction
  call: C
  at: Date
}

interface UnitOfWorkOptions<T> {
  /**
   * Whether `run` wrote, according to its result. If not, later failures report that nothing was
   * written.
   */
  isWritten?: (result: T) => boolean
  /** All statements read one snapshot, and no statement writes. */
  isSnapshot?: boolean
}

const SNAPSHOT = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const

/**
 * Runs a unit of work in one transaction, which an error or the caller's deadline rolls back. Call
 * remote services before it, never inside.
 * @param call null for background tasks, commands and snapshots.
 * @throws Problem `busy` when a repeat of the request was first.
 */
export function unitOfWork<T, C extends Call | null>(
  { db }: { db: Database },
  call: C,
  run: (work: UnitOfWork<C>) => Promise<T>,
  { isWritten = () => true, isSnapshot = false }: UnitOfWorkOptions<T> = {}
): Promise<T> {
  const transact = (begin?: () => void): Promise<T> =>
    (db as unknown as PostgresJsDatabase).transaction(
      async (tx) => {
        call?.deadline.check()
        const result = await run({ tx, call, at: new Date() })
        if (call?.idempotencyKey && isWritten(result)) await storeResult(tx, call.idempotencyKey, result)
        begin?.()
        return result
      },
      isSnapshot ? SNAPSHOT : undefined
    )
  return call ? call.deadline.commit(transact, isWritten) : transact()
}

/** With another clock function, which is not stable, PostgreSQL would not use the index. */
export const isExpiredKey = lt(idempotencyKeys.createdAt, sql`statement_timestamp() - interval '24 hours'`)

/**
 * Waits for the transaction of another request with the same key.
 * @throws Problem `busy` when that was committed: this transaction must be rolled back.
 */
async function storeResult(tx: Transaction, key: IdempotencyKey, made: unknown): Promise<void> {
  const row = { request: key.request, result: key.toResult(made), createdAt: sql`clock_timestamp()` }
  const stored = await tx
    .insert(idempotencyKeys)
    .values({ id: key.id, ...row })
    .onConflictDoUpdate({ target: idempotencyKeys.id, set: row, setWhere: isExpiredKey })
    .returning({ id: idempotencyKeys.id })
  if (stored.length === 0) throw problem('busy', null, null, { headers: { 'retry-after': '1' } })
}

/** A new resource id: a UUID version 7, which sorts by time and keeps index inserts local. */
export const newId = (): string => v7()
