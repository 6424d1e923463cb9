import { contractBuyers, contracts, parties } from './agreement/tables.js'
import { auditEvents } from './audit/tables.js'
import { catalogueImports } from './catalogue/history/tables.js'
import {
  annotations,
  blackListEntries,
  catalogueItems,
  catalogues,
  itemIdentifiers,
  whiteListEntries
} from './catalogue/tables.js'
import { patientAliases } from './clinical/tables.js'
import type { TableRights } from './db/grants.js'
import { fixedSettings, idempotencyKeys, replacedOrganizations, secrets } from './db/tables.js'
import { devices } from './device/tables.js'
import { events } from './ledger/tables.js'
import { reminders } from './order/reminders/tables.js'
import { orderLines, orders, traceLines } from './order/store/tables.js'
import { subscriptionDeliveries, subscriptionSecrets, subscriptions } from './webhooks/tables.js'

/** Every table, with the rights of the serving role: exactly those that the program uses. */
export const tableRights: TableRights = [
  [parties, ['select', 'insert', 'update']],
  [contracts, ['select', 'insert', 'update']],
  [contractBuyers, ['select', 'insert', 'delete']],
  [catalogues, ['select', 'insert', 'update']],
  [catalogueItems, ['select', 'insert', 'update']],
  [itemIdentifiers, ['select', 'insert', 'delete']],
  [annotations, ['select', 'insert', 'update', 'delete']],
  [whiteListEntries, ['select', 'insert', 'delete']],
  [catalogueImports, ['select', 'insert', 'update', 'delete']],
  [blackListEntries, ['select', 'insert', 'delete']],
  [orders, ['select', 'insert', 'update']],
  [orderLines, ['select', 'insert', 'update']],
  // The server never changes rows of trace lines, audit events, events, reminders, secrets and
  // fixed settings.
  [traceLines, ['select', 'insert']],
  [auditEvents, ['select', 'insert']],
  [events, ['select', 'insert']],
  [devices, ['select', 'insert', 'update']],
  [reminders, ['select', 'insert']],
  [subscriptions, ['select', 'insert', 'update', 'delete']],
  [subscriptionSecrets, ['select', 'insert', 'update', 'delete']],
  [subscriptionDeliveries, ['select', 'insert', 'update', 'delete']],
  [idempotencyKeys, ['select', 'insert', 'update', 'delete']],
  [secrets, ['select', 'insert']],
  [fixedSettings, ['select', 'insert']],
  [replacedOrganizations, ['select']],
  [patientAliases, ['select']]
]
