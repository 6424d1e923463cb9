import { sql } from 'drizzle-orm'
import type { Actor } from '../../platform/auth/actor.js'
import type { Database } from '../driver/database.js'
import { type UnitOfWork, withTransaction } from '../unit-of-work.js'
import type { Replication } from './monitor.js'

/** Key of an advisory lock. */
const COPIES_LOCK = 2_906_183

/**
 * Runs a unit of work on tables that are read from the standby, and waits until the standby has
 * replayed it, so that the caller's next request reads it on any instance.
 *
 * A distributed database copies these tables to each node, and there one unit of work runs at a
 * time. Citus locks the copies of a table, and of those that its foreign keys lead to: shared to
 * insert, exclusively to update or delete. Two that insert first would wait for each other.
 * @param isWritten as in {@link withTransaction}.
 */
export async function withReplicatedTransaction<T>(
  { db, replication, isDistributed }: { db: Database; replication: Replication; isDistributed: boolean },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten: (result: T) => boolean = () => true
): Promise<T> {
  const runAlone = async (work: UnitOfWork) => {
    await work.tx.execute(sql`select pg_advisory_xact_lock(${COPIES_LOCK})`)
    return run(work)
  }
  const result = await withTransaction(db, actor, isDistributed ? runAlone : run, isWritten)
  if (isWritten(result)) await replication.replayed()
  return result
}
