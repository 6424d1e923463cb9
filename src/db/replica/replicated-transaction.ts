import type { Actor } from '../../platform/auth/actor.js'
import type { Database } from '../driver/database.js'
import { type UnitOfWork, withTransaction } from '../unit-of-work.js'
import type { Replication } from './monitor.js'

/**
 * Runs a unit of work on tables that are read from the standby, and waits until the standby has
 * replayed it, so that the caller's next request reads it on any instance.
 * @param isWritten as in {@link withTransaction}.
 */
export async function withReplicatedTransaction<T>(
  { db, replication }: { db: Database; replication: Replication },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>,
  isWritten: (result: T) => boolean = () => true
): Promise<T> {
  const result = await withTransaction(db, actor, run, isWritten)
  if (isWritten(result)) await replication.replayed()
  return result
}
