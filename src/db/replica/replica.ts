import type { Log } from '../../platform/logging/log-line.js'
import { connect, type Database, type DatabaseOptions, type ReadDatabase } from '../driver/database.js'
import { type Replication, startMonitor } from './monitor.js'
import { readDatabase } from './read-database.js'

/** Reads from a standby, and what writes need of it. */
export interface Replica {
  readDb: ReadDatabase
  replication: Replication
  close(): Promise<void>
}

export interface ReplicaOptions {
  /** URL of the standby, not of a pooler; without it reads go to the primary. */
  url: string | undefined
  /** See `Freshness`. */
  maxLagMs: number
}

/** Opens the standby of a database. */
export function openReplica(
  db: Database,
  primary: DatabaseOptions,
  { url, maxLagMs }: ReplicaOptions,
  log: Log
): Replica {
  if (url === undefined) return { readDb: db, replication: noReplication, close: async () => {} }
  const target: DatabaseOptions = { ...primary, url, poolName: 'standby', pooler: 'none' }
  const standby = connect(target)
  // Connections of their own: a full pool must not look like a database that does not respond.
  const monitored = [primary, target].map(({ poolName: _, ...each }) =>
    connect({ ...each, maxConnections: 1 })
  )
  const [ofPrimary, ofStandby] = monitored.map((each) => each.db) as [Database, Database]
  const { replication, close } = startMonitor({ primary: ofPrimary, standby: ofStandby, db, maxLagMs, log })
  return {
    readDb: readDatabase(db, standby.db, replication),
    replication,
    async close() {
      close()
      await Promise.all([standby, ...monitored].map((each) => each.close()))
    }
  }
}

const noReplication: Replication = {
  isReadable: () => false,
  isPrimaryUnreachable: () => false,
  standbyFailed: () => {},
  replayed: async () => {}
}
