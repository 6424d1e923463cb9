import { contractBuyers, contracts, parties } from './agreement/tables.js'
import { auditEvents } from './audit/tables.js'
import { catalogueImportRows, catalogueImports } from './catalogue/history/tables.js'
import {
  annotations,
  blackListEntries,
  catalogueItems,
  catalogues,
  itemIdentifiers,
  whiteListEntries
} from './catalogue/tables.js'
import type { Grants, TableRights } from './db/grants.js'
import { migrate } from './db/migrate.js'
import { idempotencyKeys, secrets } from './db/tables.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './event-feed/webhooks/tables.js'
import { events } from './events/tables.js'
import { imports } from './excel/import/tables.js'
import { orderLines, orders, traceLines } from './order/store/tables.js'
import { loadDatabaseConfig } from './settings/load.js'

/** The rights of the role that serves: those that the program uses, and no others. */
export const serverRights: TableRights = [
  [parties, ['select', 'insert', 'update']],
  [contracts, ['select', 'insert', 'update']],
  [contractBuyers, ['select', 'insert', 'delete']],
  [catalogues, ['select', 'insert', 'update']],
  [catalogueItems, ['select', 'insert', 'update']],
  [itemIdentifiers, ['select', 'insert', 'delete']],
  [annotations, ['select', 'insert', 'update', 'delete']],
  [whiteListEntries, ['select', 'insert', 'delete']],
  [catalogueImports, ['select', 'insert', 'delete']],
  [catalogueImportRows, ['select', 'insert', 'delete']],
  [blackListEntries, ['select', 'insert', 'delete']],
  [orders, ['select', 'insert', 'update']],
  [orderLines, ['select', 'insert', 'update']],
  [imports, ['select', 'insert', 'update', 'delete']],
  [idempotencyKeys, ['select', 'insert', 'update', 'delete']],
  [subscriptions, ['select', 'insert', 'update', 'delete']],
  [subscriptionSecrets, ['select', 'insert', 'update', 'delete']],
  [subscriptionDeliveries, ['select', 'insert', 'update', 'delete']],
  // Nothing in these is ever changed.
  [traceLines, ['select', 'insert']],
  [auditEvents, ['select', 'insert']],
  [events, ['select', 'insert']],
  [secrets, ['select', 'insert']]
]

/** The rights of a role that serves. Undefined without one: the owner serves. */
export const grantsOf = (role: string | undefined): Grants | undefined =>
  role === undefined ? undefined : { role, tables: serverRights }

/**
 * Migrates the database of DATABASE_URL, and grants DATABASE_SERVER_ROLE, if it is set, the rights
 * that it needs to serve. Running it again changes nothing.
 * @throws Error with a message that tells what to do; AbortError.
 */
export async function migrateDatabase(signal: AbortSignal): Promise<void> {
  const { url, serverRole } = loadDatabaseConfig()
  if (url === undefined) throw new Error('Set DATABASE_URL to the database, with the owner of its schema.')
  const print = (line: string) => process.stdout.write(`${line}\n`)
  await migrate(url, { signal, warn: print, grants: grantsOf(serverRole) })
  print(`The database is migrated.${serverRole === undefined ? '' : ` The role ${serverRole} may serve it.`}`)
}
