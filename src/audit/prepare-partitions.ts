import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Queryable } from '../db/driver/database.js'
import { repeatedWork } from '../platform/server/repeated.js'
import { observeGauge, secondsSince } from '../platform/telemetry/meter.js'

/** Partitions are made three months ahead, so that a failure leaves time to act. */
const PREPARE_INTERVAL_MS = 6 * 60 * 60 * 1000

/** The age of partitions that were never made, in seconds: longer than any real age. */
const NEVER_S = 1e9

/**
 * Makes the missing partitions of audit events and events for this month and the next three.
 * Without the partition of the present month no row can be written.
 */
export const makePartitions = (db: Queryable) =>
  db.execute(sql`select prepare_audit_partitions(), prepare_event_partitions()`)

/** Makes the partitions at the start and every six hours. */
export async function preparePartitions(app: FastifyInstance): Promise<void> {
  let preparedAt = Number.NEGATIVE_INFINITY
  const stopObserving = observeGauge(
    'ssl.audit.partitions.age',
    { description: 'Seconds since the partitions of the next months were made or found.', unit: 's' },
    () => [[Math.min(secondsSince(preparedAt), NEVER_S)]]
  )
  await app.register(repeatedWork, {
    intervalMs: PREPARE_INTERVAL_MS,
    isAwaited: true,
    failure:
      'Cannot make the partitions of audit events and events. Without them requests on patients and changes are rejected.',
    async run() {
      await makePartitions(app.db)
      preparedAt = performance.now()
    }
  })
  app.addHook('onClose', async () => stopObserving())
}
