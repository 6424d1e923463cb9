import { v7 } from 'uuid'
import type { Call } from '../platform/auth/call.js'
import type { Database, Transaction } from './driver/database.js'
import { storeResult } from './idempotency-keys.js'

/** A unit of work. Its writes are committed together or not at all. */
export interface UnitOfWork {
  tx: Transaction
  call: Call
  /** The time of all its writes. */
  at: Date
}

interface UnitOfWorkOptions<T> {
  /** False if `run`, by its result, wrote nothing: later failures then say so. */
  isWritten?: (result: T) => boolean
}

/**
 * Runs a unit of work in one transaction. An error or the caller's deadline rolls it back. Call
 * remote services before it, never inside. The result of a POST with an `Idempotency-Key` is stored
 * with its writes: the ids of what it made.
 * @throws Problem `busy` when a repeat of the request was first.
 */
export function withTransaction<T>(
  { db }: { db: Database },
  call: Call,
  run: (work: UnitOfWork) => Promise<T>,
  { isWritten = () => true }: UnitOfWorkOptions<T> = {}
): Promise<T> {
  return call.deadline.commit(
    (begin) =>
      db.transaction(async (tx) => {
        call.deadline.check()
        const result = await run({ tx, call, at: new Date() })
        if (call.idempotencyKey && isWritten(result)) await storeResult(tx, call.idempotencyKey, result)
        begin()
        return result
      }),
    isWritten
  )
}

/** A new resource id: a UUID version 7, which sorts by time and keeps index inserts local. */
export const newId = (): string => v7()
