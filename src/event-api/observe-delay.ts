import { observeGauge, secondsSince } from '../platform/telemetry/meter.js'
import type { Ports } from '../ports.js'

/**
 * Measures how long an open transaction has delayed committed events, until the returned function
 * is called.
 */
export function observeDelay({ horizon }: Ports): () => Promise<void> {
  const stopObserving = observeGauge(
    'ssl.event_feed.delay',
    {
      description: 'Seconds for which an open transaction has delayed committed events, or 0.',
      unit: 's'
    },
    () => {
      const since = horizon.heldSince()
      return [[since === undefined ? 0 : secondsSince(since)]]
    }
  )
  return async () => stopObserving()
}
