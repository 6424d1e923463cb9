import { redactError } from '../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../platform/logging/log-line.js'
import type { RunDependencies } from './attempt.js'
import { countSubscriptions, type SubscriptionCount } from './delivery-metrics.js'
import { type Lease, releaseLease, takeLeases } from './lease.store.js'
import { runSubscription } from './run.js'

/** Milliseconds between two scans for subscriptions without a lease. */
const SCAN_MS = 2000

/** Maximum number of subscriptions for which one instance delivers. */
const MAX_RUNS = 1000

export type Dispatcher = ReturnType<typeof createDispatcher>

/** The run of a subscription, until its lease is released. */
interface Run {
  lease: Lease
  /** Whether a caller has changed the subscription since the start of the run. */
  isChanged: boolean
  hasEnded: boolean
  ended: Promise<void>
}

/**
 * Delivers for the subscriptions whose leases this instance gets.
 * @param isShuttingDown whether to release all leases.
 */
export function createDispatcher(dependencies: RunDependencies, log: Log, isShuttingDown: () => boolean) {
  const { db } = dependencies.ports
  const runs = new Map<string, Run>()
  let counts: readonly SubscriptionCount[] = []
  let isStopped = false
  let lookNow = () => {}
  let looking: Promise<void> | undefined

  /** Looks until `stop`. A request for a scan during a scan causes the next scan at once. */
  async function look(): Promise<void> {
    while (!isStopped) {
      const isDue = new Promise<void>((resolve) => {
        lookNow = resolve
      })
      await scan().catch(warn('Cannot scan the subscriptions', {}))
      const timer = setTimeout(lookNow, SCAN_MS).unref()
      await isDue
      clearTimeout(timer)
    }
  }

  async function scan(): Promise<void> {
    await releaseEnded()
    counts = await countSubscriptions(db)
    const limit = MAX_RUNS - runs.size
    if (limit > 0 && !isShuttingDown())
      for (const lease of await takeLeases(db, [...runs.keys()], limit)) begin(lease)
  }

  /** Releases the leases of ended runs; after an outage of the database, at a later scan. */
  async function releaseEnded(): Promise<void> {
    for (const { lease, hasEnded } of runs.values()) {
      if (!hasEnded) continue
      await releaseLease(db, lease)
      runs.delete(lease.id)
    }
  }

  function begin(lease: Lease): void {
    const run: Run = { lease, isChanged: false, hasEnded: false, ended: Promise.resolve() }
    runs.set(lease.id, run)
    run.ended = runSubscription(dependencies, lease, () => isStopped || isShuttingDown() || run.isChanged)
      .finally(() => {
        run.hasEnded = true
      })
      // After an error the next scan releases the lease, so that the run is not repeated at once.
      .then(() => lookNow(), warn('Deliveries of a subscription failed', { subscription: lease.id }))
  }

  const warn = (text: string, details: object) => (cause: unknown) =>
    log.warn(logLine(text, { ...details, cause: redactError(cause) }))

  return {
    start() {
      looking = look()
    },
    /** Scans now, and reloads the changed subscription. */
    wake(id: string) {
      const run = runs.get(id)
      if (run) run.isChanged = true
      else lookNow()
    },
    counts: () => counts,
    /** Waits for attempts in flight, whose `signal` the caller aborts. */
    async stop() {
      isStopped = true
      lookNow()
      await looking
      await Promise.all([...runs.values()].map(({ ended }) => ended))
      await releaseEnded().catch(warn('Leases cannot be released', {}))
    }
  }
}
