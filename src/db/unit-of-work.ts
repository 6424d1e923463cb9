import { v7 } from 'uuid'
import type { Actor } from '../platform/auth/actor.js'
import type { Database, Transaction } from './driver/database.js'
import { saveResult } from './idempotency-keys.js'

/** A unit of work. Its writes are committed together or not at all. */
export interface UnitOfWork {
  tx: Transaction
  actor: Actor
  /** The time of all its writes. */
  at: Date
}

/**
 * Runs a unit of work in one transaction. An error or the caller's deadline rolls it back. Call
 * remote services before it, never inside. The result of a POST with an `Idempotency-Key` is stored
 * with its writes: the ids of what it made.
 * @param isWritten false if `run`, by its result, wrote nothing: later failures then report that
 *   nothing was written.
 * @throws Problem `idempotency-key-in-use` when another run has taken over the key.
 */
export function withTransaction<T>(
  db: Database,
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten: (result: T) => boolean = () => true
): Promise<T> {
  return actor.deadline.commit(
    (begin) =>
      db.transaction(async (tx) => {
        actor.deadline.check()
        const result = await run({ tx, actor, at: new Date() })
        if (actor.reservation && isWritten(result)) await saveResult(tx, actor.reservation, result)
        begin()
        return result
      }),
    isWritten
  )
}

/** A new resource id: a UUID version 7, which sorts by time and keeps index inserts local. */
export const newId = (): string => v7()
