import { isConnectionLost, unwrapDriverError } from '../../platform/errors/pg-errors.js'
import { type Database, databaseOf, type ReadDatabase } from '../driver/database.js'
import type { DrizzleClient, PendingQuery } from '../driver/query.js'
import type { Replication } from './monitor.js'

/**
 * SQLSTATEs of a query that the standby cancelled, mostly because the row versions that it read
 * were removed on the primary.
 */
const CANCELLED = new Set(['40001', '40P01', '57014'])

/**
 * A database for reads. They go to the standby while it is current, else to the primary. A read
 * that the standby cancels, or whose connection is lost, is repeated once on the primary.
 */
export function readDatabase(primary: Database, standby: Database, replication: Replication): ReadDatabase {
  async function run<T>(send: (client: DrizzleClient) => PromiseLike<T>): Promise<T> {
    if (!replication.isReadable()) return send(primary.$client)
    try {
      return await send(standby.$client)
    } catch (cause) {
      const isLost = isConnectionLost(cause)
      if (!isLost && !CANCELLED.has(unwrapDriverError(cause)?.code ?? '')) throw cause
      if (isLost) replication.standbyFailed()
      return send(primary.$client)
    }
  }
  const unsafe: DrizzleClient['unsafe'] = (...query): PendingQuery => ({
    // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, awaiting the query sends it
    then: (done, failed) => run((client) => client.unsafe(...query)).then(done, failed),
    values: () => run((client) => client.unsafe(...query).values()),
    raw: () => run((client) => client.unsafe(...query).raw())
  })
  return databaseOf({ ...primary.$client, unsafe })
}
