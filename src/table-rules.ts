import type { PgTable } from 'drizzle-orm/pg-core'
import { contractBuyers, contracts, parties } from './agreement/tables.js'
import { auditEvents } from './audit/tables.js'
import { catalogueImportRows, catalogueImports, importJobs } from './catalogue/history/tables.js'
import {
  annotations,
  blackListEntries,
  catalogueItems,
  catalogues,
  itemIdentifiers,
  whiteListEntries
} from './catalogue/tables.js'
import type { Placement } from './db/distribution.js'
import type { Privilege } from './db/grants.js'
import { idempotencyKeys, replacedOrganizations, secrets } from './db/tables.js'
import { events } from './ledger/tables.js'
import { devices } from './order/device/tables.js'
import { reminders } from './order/reminders/tables.js'
import { orderLines, orders, traceLines } from './order/store/tables.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './webhooks/tables.js'

/** A table, the rights of the role that serves, and the place in a distributed database. */
type TableRule = readonly [table: PgTable, rights: readonly Privilege[], placement: Placement]

/**
 * Every table, after the tables that its foreign keys refer to. The role that serves has the rights
 * that the program uses, and no others. Orders grow without end and are reached by their id. What
 * an order refers to is small beside them, and is copied to every node.
 */
export const tableRules: readonly TableRule[] = [
  [parties, ['select', 'insert', 'update'], 'reference'],
  [contracts, ['select', 'insert', 'update'], 'reference'],
  [contractBuyers, ['select', 'insert', 'delete'], 'reference'],
  [catalogues, ['select', 'insert', 'update'], 'reference'],
  [catalogueItems, ['select', 'insert', 'update'], 'reference'],
  [itemIdentifiers, ['select', 'insert', 'delete'], 'reference'],
  [annotations, ['select', 'insert', 'update', 'delete'], 'reference'],
  [whiteListEntries, ['select', 'insert', 'delete'], 'reference'],
  [catalogueImports, ['select', 'insert', 'update', 'delete'], 'reference'],
  [catalogueImportRows, ['select', 'insert', 'delete'], 'reference'],
  [blackListEntries, ['select', 'insert', 'delete'], 'reference'],
  [orders, ['select', 'insert', 'update'], { by: 'id' }],
  [orderLines, ['select', 'insert', 'update'], { by: 'order_id' }],
  // The server never changes rows of this and the next two tables, and of secrets.
  [traceLines, ['select', 'insert'], { by: 'order_id' }],
  // Written in the transaction of the change that they record, and searched by patient.
  [auditEvents, ['select', 'insert'], 'local'],
  // Likewise, in one sequence over all resources.
  [events, ['select', 'insert'], 'local'],
  // A join of lines of different orders, which no node has together.
  [devices, ['select', 'insert', 'update'], 'local'],
  [reminders, ['select', 'insert'], 'local'],
  // Read together with the events.
  [subscriptions, ['select', 'insert', 'update', 'delete'], 'local'],
  [subscriptionSecrets, ['select', 'insert', 'update', 'delete'], 'local'],
  [subscriptionDeliveries, ['select', 'insert', 'update', 'delete'], 'local'],
  // Read before it is known which order the request concerns.
  [idempotencyKeys, ['select', 'insert', 'update', 'delete'], 'local'],
  [importJobs, ['select', 'insert', 'update', 'delete'], 'local'],
  [secrets, ['select', 'insert'], 'local'],
  [replacedOrganizations, ['select'], 'local']
]
