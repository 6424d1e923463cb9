import { sql } from 'drizzle-orm'
import type { Actor } from '../../platform/auth/actor.js'
import type { Database, Transaction } from '../driver/database.js'
import { type UnitOfWork, withTransaction } from '../unit-of-work.js'
import type { Replication } from './monitor.js'

/** Key of an advisory lock. */
const COPIES_LOCK = 2_906_183

/**
 * Runs a unit of work on tables that are read from the standby, and waits until the standby has
 * replayed it, so that the caller's next request reads it on any instance.
 * @param isWritten as in {@link withTransaction}.
 */
export async function withReplicatedTransaction<T>(
  ports: { db: Database; replication: Replication; isDistributed: boolean },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten: (result: T) => boolean = () => true
): Promise<T> {
  const runAlone = async (work: UnitOfWork) => {
    await lockCopies(work.tx, ports)
    return run(work)
  }
  const result = await withTransaction(ports.db, actor, runAlone, isWritten)
  if (isWritten(result)) await ports.replication.replayed()
  return result
}

/**
 * Lets one transaction at a time write the tables that a distributed database copies to each node.
 * Citus locks the copies of a table, and of those that its foreign keys lead to: shared to insert,
 * exclusively to update or delete. Two transactions that insert first would wait for each other.
 */
export async function lockCopies(
  tx: Transaction,
  { isDistributed }: { isDistributed: boolean }
): Promise<void> {
  if (isDistributed) await tx.execute(sql`select pg_advisory_xact_lock(${COPIES_LOCK})`)
}
