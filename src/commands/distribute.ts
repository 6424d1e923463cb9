import { distribute, type Placements } from '../db/distribution.js'
import { loadDatabaseConfig } from '../settings/load.js'
import { tableRules } from '../table-rules.js'
import { grantsOf } from './migrate.js'

/** Where each table goes in a distributed database. */
export const placements: Placements = tableRules.map(([table, , placement]) => [table, placement])

/**
 * Migrates the database of DATABASE_URL, the coordinator of a Citus cluster, and distributes its
 * tables. Prints a line for each table. Running it again changes nothing.
 * @throws Error with a message that tells what to do; AbortError.
 */
export async function distributeDatabase(signal: AbortSignal): Promise<void> {
  const { url, serverRole } = loadDatabaseConfig()
  if (url === undefined) throw new Error('Set DATABASE_URL to the coordinator of a Citus cluster.')
  const options = { signal, grants: grantsOf(serverRole) }
  for (const line of await distribute(url, placements, options)) process.stdout.write(`${line}\n`)
}
