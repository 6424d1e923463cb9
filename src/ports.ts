import { type Audit, createAudit } from './audit/audit.js'
import { type Clinical, createClinical } from './clinical/clinical.js'
import { connect, type Database } from './db/driver/database.js'
import { sharedSecret } from './db/secret.js'
import type { Log } from './platform/logging/log-line.js'
import { type Cursors, createCursors } from './platform/rest/pagination.js'
import { createResourceUrls, type ResourceUrls } from './platform/rest/resource-urls.js'
import { dateFormatterOf } from './platform/util/date-in-time-zone.js'
import type { Config, Limits } from './settings/config.js'
import { createTerminology, type Terminology } from './terminology/terminology.js'

/** What use cases and views need from outside. The server has all of it, so `app` is passed; a test may pass a literal. */
export interface Ports {
  db: Database
  audit: Audit
  references: ResourceUrls
  terminology: Terminology
  clinical: Clinical
  cursors: Cursors
  limits: Limits
  /** The calendar date, `yyyy-mm-dd`, that contracts are held against. */
  today(): string
  /** Name of the time zone in which days begin and end. */
  timeZone: string
}

declare module 'fastify' {
  interface FastifyInstance extends Ports {}
}

/** Opens everything that use cases need; `close` gives it back. */
export async function openPorts(
  config: Config,
  databaseUrl: string,
  log: Log
): Promise<{ ports: Ports; close: () => Promise<void> }> {
  const { publicUrl, addressing, referenceOrigins: origins, valueSets, platformPrefix, timeZone } = config
  const server = await terminologyServer(config, log)
  const remoteSets = config.terminology.sets
  const terminology = createTerminology({ ...valueSets, platformPrefix, remoteSets, server })
  const { db, close: closeDatabase } = connect({
    url: databaseUrl,
    maxConnections: config.database.pool,
    // A little more than a request's time: who waits is answered by the request's own deadline.
    statementTimeoutMs: Math.ceil(config.limits.requestTimeout * 1.25)
  })
  const { clinical, close: closeClinical } = await createClinical({
    ...config.clinical,
    ...config.remote,
    timeZone,
    log
  })
  const dateOf = dateFormatterOf(timeZone)
  const ports: Ports = {
    db,
    audit: createAudit({
      db,
      key: await sharedSecret(db, 'audit'),
      patients: config.auditPatients,
      timeoutMs: config.limits.requestTimeout / 3
    }),
    terminology,
    references: createResourceUrls({ publicUrl, addressing, origins }),
    clinical,
    cursors: createCursors(await sharedSecret(db, 'cursors')),
    limits: config.limits,
    timeZone,
    today: () => dateOf(new Date())
  }
  const close = async () => {
    await Promise.all([server?.close(), closeClinical()])
    await closeDatabase()
  }
  return { ports, close }
}

/** What asks a terminology server is read only where there is one. */
async function terminologyServer({ terminology: { url }, remote }: Config, log: Log) {
  if (url === undefined) return undefined
  const { createTerminologyServer } = await import('./terminology/server.js')
  return createTerminologyServer({ url, ...remote, log })
}
