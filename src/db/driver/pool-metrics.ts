import { unwrapDriverError } from '../../platform/errors/pg-errors.js'
import { addClientSpan } from '../../platform/telemetry/client-span.js'
import { durationHistogram, observeGauge, secondsSince } from '../../platform/telemetry/meter.js'
import type { Pool } from './pool.js'
import type { QueryObserver } from './query.js'

/** Measures queries from sending to response, by the names of OpenTelemetry for databases. */
export function recordQueries(poolName: string): QueryObserver {
  const duration = durationHistogram('db.client.operation.duration', 'Duration of database queries.')
  const common = { 'db.system.name': 'postgresql', 'db.client.connection.pool.name': poolName }
  return (start, cause) => {
    const attributes = {
      ...common,
      ...(cause && { 'error.type': unwrapDriverError(cause)?.code ?? 'other' })
    }
    duration.record(secondsSince(start), attributes)
    addClientSpan('postgresql', start, attributes)
  }
}

/** Observes the use of a pool until the returned function is called. */
export function observePool(poolName: string, maxConnections: number, pool: Pool): () => void {
  const name = { 'db.client.connection.pool.name': poolName }
  const gauges = [
    // OpenTelemetry calls it count, an end of names that Prometheus keeps for histograms.
    observeGauge('db.client.connection.usage', { description: 'Open connections by state.' }, () => {
      const { used, idle } = pool.usage()
      return [
        [used, { ...name, 'db.client.connection.state': 'used' }],
        [idle, { ...name, 'db.client.connection.state': 'idle' }]
      ]
    }),
    observeGauge('db.client.connection.max', { description: 'Maximum connections of the pool.' }, () => [
      [maxConnections, name]
    ]),
    observeGauge(
      'db.client.connection.pending_requests',
      { description: 'Queries and transactions that wait for a connection.' },
      () => [[pool.usage().waiting, name]]
    )
  ]
  return () => {
    for (const stop of gauges) stop()
  }
}
