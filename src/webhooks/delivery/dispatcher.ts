import { redactError } from '../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../platform/logging/log-line.js'
import { countSubscriptions, isDelivering, type SubscriptionCount } from './delivery-metrics.js'
import { type Lease, releaseLease, takeLeases } from './lease.store.js'
import { type Courier, runSubscription } from './run.js'

/** Milliseconds between two looks for subscriptions without a lease, while one delivers. */
const SCAN_MS = 2000

/** Milliseconds between two looks while none delivers. */
const IDLE_SCAN_MS = 10_000

/** Subscriptions that one instance delivers for. */
const MAX_RUNS = 1000

/** Delivers for the subscriptions whose leases this instance gets. */
export interface Dispatcher {
  start(): void
  /** Looks now, and again at the subscription that was changed. */
  wake(id: string): void
  counts(): readonly SubscriptionCount[]
  /** Waits for attempts in flight, whose `signal` the caller aborts. */
  stop(): Promise<void>
}

/** @param isShuttingDown whether to give all leases back. */
export function createDispatcher(courier: Courier, log: Log, isShuttingDown: () => boolean): Dispatcher {
  const { db } = courier.ports
  const runs = new Map<string, { isChanged: boolean; ended: Promise<void> }>()
  /** Leases of runs that have ended. */
  const held = new Set<Lease>()
  let counts: readonly SubscriptionCount[] = []
  let isStopped = false
  let lookNow = () => {}
  let looking: Promise<void> | undefined

  /** Looks until `stop`. A wish to look now during a look is met by the next one. */
  async function look(): Promise<void> {
    while (!isStopped) {
      const isDue = new Promise<void>((resolve) => {
        lookNow = resolve
      })
      const delayMs = await scan().catch(warn('Cannot look for subscriptions', {}))
      const timer = setTimeout(lookNow, delayMs ?? SCAN_MS).unref()
      await isDue
      clearTimeout(timer)
    }
  }

  /** Returns the milliseconds until the next look. */
  async function scan(): Promise<number> {
    await releaseHeld()
    counts = await countSubscriptions(db)
    const delivers = counts.some(isDelivering)
    const limit = MAX_RUNS - runs.size
    if (delivers && limit > 0 && !isShuttingDown())
      for (const lease of await takeLeases(db, [...runs.keys()], limit)) begin(lease)
    return delivers ? SCAN_MS : IDLE_SCAN_MS
  }

  /** Gives back the leases of runs that have ended; while the database is away, at a later look. */
  async function releaseHeld(): Promise<void> {
    for (const lease of held) {
      await releaseLease(db, lease)
      held.delete(lease)
      runs.delete(lease.id)
    }
  }

  function begin(lease: Lease): void {
    const run = { isChanged: false, ended: Promise.resolve() }
    runs.set(lease.id, run)
    run.ended = runSubscription(courier, lease, () => isStopped || isShuttingDown() || run.isChanged)
      .finally(() => held.add(lease))
      // After an error the next look gives the lease back, so that it is not repeated at once.
      .then(() => lookNow(), warn('Deliveries of a subscription failed', { subscription: lease.id }))
  }

  const warn = (text: string, details: object) => (cause: unknown) =>
    log.warn(logLine(text, { ...details, cause: redactError(cause) }))

  return {
    start() {
      looking = look()
    },
    wake(id) {
      const run = runs.get(id)
      if (run) run.isChanged = true
      else lookNow()
    },
    counts: () => counts,
    async stop() {
      isStopped = true
      lookNow()
      await looking
      await Promise.all([...runs.values()].map(({ ended }) => ended))
      await releaseHeld().catch(warn('Leases cannot be given back', {}))
    }
  }
}
