import { sql } from 'drizzle-orm'
import type { Actor } from '../platform/auth/actor.js'
import type { Database, Transaction } from './driver/database.js'
import { type UnitOfWork, withTransaction } from './unit-of-work.js'

/** Key of an advisory lock. */
const COPIES_LOCK = 2_906_183

/**
 * Lets one transaction at a time write the tables that a distributed database copies to each node.
 * Citus locks the copies of a table, and of those that its foreign keys lead to: shared to insert,
 * exclusively to update or delete. Two that insert first would wait for each other.
 */
export async function lockCopies(tx: Transaction, isDistributed: boolean): Promise<void> {
  if (isDistributed) await tx.execute(sql`select pg_advisory_xact_lock(${COPIES_LOCK})`)
}

/**
 * Runs a unit of work on tables of which each node of a distributed database has a copy: after
 * {@link lockCopies}, else as {@link withTransaction}.
 */
export const withCopiesLocked = <T>(
  { db, isDistributed }: { db: Database; isDistributed: boolean },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten?: (result: T) => boolean
): Promise<T> =>
  withTransaction(
    db,
    actor,
    async (work) => {
      await lockCopies(work.tx, isDistributed)
      return run(work)
    },
    isWritten
  )
