import { redactError } from '../../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../../platform/logging/log-line.js'
import { deliveringStatuses } from '../subscription.state.js'
import type { Courier } from './deliver.js'
import { countSubscriptions, type SubscriptionCounts } from './delivery-metrics.js'
import { type Lease, releaseLease, takeLeases } from './lease.store.js'
import { runSubscription } from './run.js'

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
  counts(): SubscriptionCounts
  /** Waits for attempts in flight, whose `signal` the caller aborts. */
  stop(): Promise<void>
}

interface ActiveRun {
  lease: Lease
  isChanged: boolean
  hasEnded: boolean
  ended: Promise<void>
}

/** @param isShuttingDown whether to give all leases back. */
export function createDispatcher(courier: Courier, log: Log, isShuttingDown: () => boolean): Dispatcher {
  const { db } = courier.ports
  const runs = new Map<string, ActiveRun>()
  let counted: SubscriptionCounts = { counts: new Map(), maxLagSeconds: 0 }
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let scanning: Promise<void> | undefined
  let isRequested = false

  async function scan(): Promise<void> {
    await releaseEnded()
    counted = await countSubscriptions(db)
    const live = deliveringStatuses.some((status) => counted.counts.has(status))
    const limit = MAX_RUNS - runs.size
    if (live && limit > 0 && !isShuttingDown()) {
      for (const lease of await takeLeases(db, [...runs.keys()], limit)) begin(lease)
    }
    schedule(live ? SCAN_MS : IDLE_SCAN_MS)
  }

  /** Gives back the leases of runs that have ended; while the database is away, at a later look. */
  async function releaseEnded(): Promise<void> {
    for (const { lease, hasEnded } of runs.values()) {
      if (!hasEnded) continue
      await releaseLease(db, lease)
      runs.delete(lease.id)
    }
  }

  function begin(lease: Lease): void {
    const run: ActiveRun = { lease, isChanged: false, hasEnded: false, ended: Promise.resolve() }
    const isOver = () => isStopped || isShuttingDown() || run.isChanged
    runs.set(lease.id, run)
    run.ended = runSubscription(courier, lease, isOver)
      .finally(() => {
        run.hasEnded = true
      })
      // After an error the next look gives the lease back, so that it is not repeated at once.
      .then(lookSoon, warn('Deliveries of a subscription failed', { subscription: lease.id }))
  }

  const warn = (text: string, details: object) => (cause: unknown) =>
    log.warn(logLine(text, { ...details, cause: redactError(cause) }))

  function look(): void {
    timer = undefined
    scanning = scan()
      .catch((cause) => {
        warn('Cannot look for subscriptions', {})(cause)
        schedule(SCAN_MS)
      })
      .finally(() => {
        scanning = undefined
        if (isRequested) schedule(0)
        isRequested = false
      })
  }

  /** A look in progress may not see what has changed: then another one follows it. */
  function lookSoon(): void {
    if (scanning) isRequested = true
    else schedule(0)
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer)
    timer = isStopped ? undefined : setTimeout(look, delayMs).unref()
  }

  return {
    start: look,
    wake(id) {
      const run = runs.get(id)
      if (run) run.isChanged = true
      else lookSoon()
    },
    counts: () => counted,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await scanning
      await Promise.all([...runs.values()].map(({ ended }) => ended))
      await releaseEnded().catch(warn('Leases cannot be given back', {}))
    }
  }
}
