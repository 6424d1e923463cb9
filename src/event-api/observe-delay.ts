import { observeGauge, secondsSince } from '../platform/telemetry/meter.js'
import type { Ports } from '../ports.js'

/**
 * Measures for how long an open transaction has kept committed events from their readers, until the
 * returned function is called.
 */
export function observeDelay({ horizon }: Ports): () => Promise<void> {
  const stopObserving = observeGauge(
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
  return async () => stopObserving()
}
