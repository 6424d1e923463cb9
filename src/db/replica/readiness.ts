import type { DependencyState } from '../../platform/server/health.js'
import { type Database, pingDatabase } from '../driver/database.js'
import type { Replication } from './monitor.js'

/**
 * State of the database: degraded when the primary does not respond and reads go to the standby.
 * Rejects if neither responds.
 */
export async function databaseState(db: Database, replication: Replication): Promise<DependencyState> {
  if (replication.isPrimaryUnreachable() && replication.isReadable()) return 'degraded'
  try {
    await pingDatabase(db)
    return 'ok'
  } catch (cause) {
    if (replication.isReadable()) return 'degraded'
    throw cause
  }
}
