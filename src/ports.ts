import { type Audit, createAudit } from './audit/audit.js'
import { type Clinical, createClinicalChecks } from './clinical/clinical.js'
import { assertStatementTimeout, connect, type Database, pingDatabase } from './db/driver/database.js'
import {
  assertTimeZone,
  type ReplacedOrganizations,
  readReplacedOrganizations,
  sharedSecret
} from './db/shared-values.js'
import { createHorizon, type Horizon } from './ledger/horizon.js'
import { createSlotTable, observeSlots, type SlotTable } from './platform/concurrency/slot-table.js'
import { dateFormatterOf } from './platform/dates/calendar-date.js'
import type { Log } from './platform/logging/log-line.js'
import { type Cursors, createCursors } from './platform/rest/cursors.js'
import type { Dependency } from './platform/server/health.js'
import { createResourceUrls } from './platform/urls/addressing.js'
import type { ResourceUrls } from './platform/urls/resource-urls.js'
import type { Config, Limits } from './settings/config.js'
import type { TerminologyServerOptions } from './terminology/server.js'
import { createTerminology, type Terminology } from './terminology/terminology.js'
import type { RunTask } from './xlsx/task.js'
import { createWorkbooks, type Workbooks } from './xlsx/workbook.js'

/** Dependencies of use cases. `app` is decorated with all of them; tests may pass a literal. */
export interface Ports {
  db: Database
  audit: Audit
  /** The position up to which readers of events may read. */
  horizon: Horizon
  resourceUrls: ResourceUrls
  terminology: Terminology
  clinical: Clinical
  workbooks: Workbooks
  replacedOrganizations: ReplacedOrganizations
  cursors: Cursors
  limits: Limits
  slots: SlotTable
  /** The present time, for the attention of orders and reminders. */
  now(): Date
  /** Today's date, `yyyy-mm-dd`, for the validity of contracts and for calendar days. */
  today(): string
  /** Days after which a submitted order is unanswered if no contract determines them; 0: never. */
  answerDays: number
  timeZone: string
}

declare module 'fastify' {
  interface FastifyInstance extends Ports {}
}

/** Opens the dependencies of use cases. Some of them determine the readiness of the server. */
export async function openPorts(
  config: Config,
  databaseUrl: string,
  log: Log,
  runWorkbookTask?: RunTask
): Promise<{ ports: Ports; dependencies: Record<string, Dependency>; close: () => Promise<void> }> {
  const { publicUrl, addressing, referenceOrigins: origins, valueSets, platformPrefix, timeZone } = config
  const remote = { timeoutMs: config.remoteTimeoutMs, circuitOpenMs: config.limits.circuitOpen, log }
  const slots = createSlotTable(config.limits.bulkConcurrency)
  const stopObserving = observeSlots(slots)
  const server = await terminologyServer(config.terminology.url, {
    ...remote,
    slots: slots.terminologyRequests
  })
  const remoteSets = config.terminology.sets
  const terminology = createTerminology({ ...valueSets, platformPrefix, remoteSets, server })
  const database = {
    url: databaseUrl,
    poolName: 'primary',
    maxConnections: config.database.pool,
    pooler: config.database.pooler,
    // A little longer than a request, so that the request's deadline takes effect first.
    statementTimeoutMs: Math.ceil(config.limits.requestTimeout * 1.25)
  }
  const { db, close: closeDatabase } = connect(database)
  await assertStatementTimeout(db, database.statementTimeoutMs)
  await assertTimeZone(db, timeZone)
  const { clinical, backend } = await createClinicalChecks({
    ...config.clinical,
    ...remote,
    slots: slots.clinicalRequests,
    timeZone
  })
  const dateOf = dateFormatterOf(timeZone)
  const now = () => new Date()
  const ports: Ports = {
    db,
    audit: createAudit({
      db,
      key: await sharedSecret(db, 'audit'),
      timeoutMs: config.limits.requestTimeout / 3
    }),
    horizon: createHorizon(db),
    terminology,
    resourceUrls: createResourceUrls({ publicUrl, addressing, origins }),
    clinical,
    workbooks: createWorkbooks(config.limits.workbook, runWorkbookTask),
    replacedOrganizations: await readReplacedOrganizations(db),
    cursors: createCursors(await sharedSecret(db, 'cursors')),
    limits: config.limits,
    slots,
    timeZone,
    now,
    today: () => dateOf(now()),
    answerDays: config.answerDays
  }
  const close = async () => {
    stopObserving()
    try {
      await Promise.all([server?.close(), backend?.close()])
    } finally {
      await closeDatabase()
    }
  }
  const dependencies = {
    database: { state: () => pingDatabase(db).then(() => 'ok' as const), isVital: true },
    ...(server && { terminology: upstream(server) }),
    ...(backend && { clinical: upstream(backend) })
  }
  return { ports, dependencies, close }
}

const upstream = (client: { isCircuitOpen(): boolean }): Dependency => ({
  state: () => (client.isCircuitOpen() ? 'unavailable' : 'ok'),
  isVital: false
})

/** Imports the client of a terminology server only if one is configured, to speed up the start. */
async function terminologyServer(url: string | undefined, options: Omit<TerminologyServerOptions, 'url'>) {
  if (url === undefined) return undefined
  const { createTerminologyServer } = await import('./terminology/server.js')
  return createTerminologyServer({ url, ...options })
}
