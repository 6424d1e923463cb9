import { sql } from 'drizzle-orm'
import type { Actor } from '../../platform/auth/actor.js'
import type { Database, Transaction } from '../driver/database.js'
import { type UnitOfWork, withTransaction } from '../unit-of-work.js'
import type { Replication } from './monitor.js'

/** Key of an advisory lock. */
const COPIES_LOCK = 2_906_183

/**
 * Lets one transaction at a time write the tables that a distributed database copies to each node.
 * Citus locks the copies of a table, and of those that its foreign keys lead to: shared to insert,
 * exclusively to update or delete. Two that insert first would wait for each other.
 */
async function lockCopies(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${COPIES_LOCK})`)
}

/**
 * Runs a unit of work on tables that are read from the standby, and waits until the standby has
 * replayed it, so that the caller's next request reads it on any instance. In a distributed
 * database one runs at a time ({@link lockCopies}).
 * @param isWritten as in {@link withTransaction}.
 */
export async function withReplicatedTransaction<T>(
  { db, replication, isDistributed }: { db: Database; replication: Replication; isDistributed: boolean },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten: (result: T) => boolean = () => true
): Promise<T> {
  const runAlone = async (work: UnitOfWork) => {
    await lockCopies(work.tx)
    return run(work)
  }
  const result = await withTransaction(db, actor, isDistributed ? runAlone : run, isWritten)
  if (isWritten(result)) await replication.replayed()
  return result
}

/**
 * Runs a transaction without a caller on these tables. It does not wait for the standby, so it may
 * only write what no request reads there.
 */
export function withCopiesLocked(
  { db, isDistributed }: { db: Database; isDistributed: boolean },
  run: (tx: Transaction) => Promise<void>
): Promise<void> {
  return db.transaction(async (tx) => {
    if (isDistributed) await lockCopies(tx)
    await run(tx)
  })
}
