import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { observeGauge, secondsSince } from '../platform/telemetry/meter.js'
import { ledgerHorizon } from './feed.js'

/** Measures for how long an open transaction has kept committed events from their readers. */
export const holdMetrics = fp(
  async (app: FastifyInstance) => {
    const horizon = ledgerHorizon(app)
    const stop = observeGauge(
      'ssl.event_feed.delay',
      {
        description: 'Seconds for which an open transaction has kept committed events back, or 0.',
        unit: 's'
      },
      () => {
        const since = horizon.heldSince()
        return [[since === undefined ? 0 : secondsSince(since)]]
      }
    )
    app.addHook('onClose', async () => stop())
  },
  { name: 'hold-metrics' }
)
