import type { Grants } from '../db/grants.js'
import { migrate } from '../db/migrate.js'
import { loadDatabaseConfig } from '../settings/load.js'
import { tableRights } from '../table-rights.js'

/**
 * The rights of the serving role. Undefined without such a role: the server connects as the owner.
 */
export const grantsOf = (role: string | undefined): Grants | undefined =>
  role === undefined ? undefined : { role, tables: tableRights }

/**
 * Migrates the database of DATABASE_URL, and grants DATABASE_SERVER_ROLE, if it is set, the rights
 * that it needs to serve. A second run changes nothing.
 * @throws Error with a message that states the remedy; AbortError.
 */
export async function migrateDatabase(signal: AbortSignal): Promise<void> {
  const { url, serverRole } = loadDatabaseConfig()
  if (url === undefined) throw new Error('Set DATABASE_URL to the database, with the owner of its schema.')
  const print = (line: string) => process.stdout.write(`${line}\n`)
  await migrate(url, { signal, warn: print, grants: grantsOf(serverRole) })
  print(`The database is migrated.${serverRole === undefined ? '' : ` The role ${serverRole} may serve it.`}`)
}
