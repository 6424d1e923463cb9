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
import { distribute, type Placements } from './db/distribution.js'
import { idempotencyKeys, secrets } from './db/tables.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './event-feed/webhooks/tables.js'
import { events } from './events/tables.js'
import { imports } from './excel/import/tables.js'
import { grantsOf } from './migrate.js'
import { orderLines, orders, traceLines } from './order/store/tables.js'
import { loadDatabaseConfig } from './settings/load.js'

/**
 * Where each table goes in a distributed database. Orders grow without end and are reached by their
 * id. What an order refers to is small beside them, and is copied to every node.
 */
export const placements: Placements = [
  [parties, 'reference'],
  [contracts, 'reference'],
  [contractBuyers, 'reference'],
  [catalogues, 'reference'],
  [catalogueItems, 'reference'],
  [itemIdentifiers, 'reference'],
  [annotations, 'reference'],
  [whiteListEntries, 'reference'],
  [catalogueImports, 'reference'],
  [catalogueImportRows, 'reference'],
  [blackListEntries, 'reference'],
  [orders, { by: 'id' }],
  [orderLines, { by: 'order_id' }],
  [traceLines, { by: 'order_id' }],
  // Written in the transaction of the change that they record, and searched by patient.
  [auditEvents, 'local'],
  // Likewise, in one sequence over all resources.
  [events, 'local'],
  // Read together with it.
  [subscriptions, 'local'],
  [subscriptionSecrets, 'local'],
  [subscriptionDeliveries, 'local'],
  // Likewise, and read before it is known which order the request concerns.
  [idempotencyKeys, 'local'],
  [imports, 'local'],
  [secrets, 'local']
]

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
