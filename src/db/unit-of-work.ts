import { v7 } from 'uuid'
import type { Actor } from '../platform/auth/actor.js'
import type { Database, Transaction } from './driver/database.js'

/** A unit of work: everything written through it is committed together or not at all. */
export interface UnitOfWork {
  tx: Transaction
  /** Who does it. */
  actor: Actor
  /** When: one time for everything in it. */
  at: Date
}

/**
 * Runs a unit of work in one transaction; an error rolls all of it back, and so does the end of the caller's time. Ask remote parties
 * before, not inside.
 * @param isWritten false where the work only reads: what fails after it is known not to have been written.
 */
export function withTransaction<T>(
  db: Database,
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten = true
): Promise<T> {
  return actor.deadline.commit(
    (begin) =>
      db.transaction(async (tx) => {
        actor.deadline.check()
        const result = await run({ tx, actor, at: new Date() })
        begin()
        return result
      }),
    () => isWritten
  )
}

/** A new resource id: UUID version 7, so that ids grow with time and stay together in an index. */
export const newId = (): string => v7()
