import type { Config, Limits } from '../fastify.config.js'
import { type Clinical, createClinical } from './clinical/clinical.js'
import { connect, type Database } from './db/connection.js'
import { sharedSecret } from './db/secret.js'
import { dateIn } from './platform/clock.js'
import { type Cursors, createCursors } from './platform/paging.js'
import { createReferences, type References } from './platform/reference.js'
import { localTerminology, type Terminology } from './terminology/terminology.js'

/** What use cases and views need from outside. The server has all of it, so `app` is passed; a test may pass a literal. */
export interface Ports {
  db: Database
  references: References
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
  databaseUrl: string
): Promise<{ ports: Ports; close: () => Promise<void> }> {
  const { publicUrl, addressing, referenceOrigins: origins, valueSets, platformPrefix, timeZone } = config
  const terminology = localTerminology({ ...valueSets, platformPrefix })
  const { db, close: closeDatabase } = connect({ url: databaseUrl, pool: config.database.pool })
  const { clinical, close: closeClinical } = createClinical({ ...config.clinical, timeZone })
  const ports: Ports = {
    db,
    terminology,
    references: createReferences({ publicUrl, addressing, origins }),
    clinical,
    cursors: createCursors(await sharedSecret(db, 'cursors')),
    limits: config.limits,
    timeZone,
    today: () => dateIn(timeZone, new Date())
  }
  const close = async () => {
    await closeClinical()
    await closeDatabase()
  }
  return { ports, close }
}
