import { type Database, pingDatabase } from '../driver/database.js'
import type { Replication } from './monitor.js'

/**
 * Resolves with ok, or with degraded when the primary does not respond and reads go to the standby.
 * Rejects if neither responds.
 */
export async function readiness({
  db,
  replication
}: {
  db: Database
  replication: Replication
}): Promise<'ok' | 'degraded'> {
  if (replication.isPrimaryAway() && replication.isReadable()) return 'degraded'
  try {
    await pingDatabase(db)
    return 'ok'
  } catch (cause) {
    if (replication.isReadable()) return 'degraded'
    throw cause
  }
}
