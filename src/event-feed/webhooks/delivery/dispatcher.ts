import { redactError } from '../../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../../platform/logging/log-line.js'
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
  isChanged: boolean
  ended: Promise<unknown>
}

/** @param isShuttingDown whether to give all leases back. */
export function createDispatcher(courier: Courier, log: Log, isShuttingDown: () => boolean): Dispatcher {
  const { db } = courier.ports
  const runs = new Map<string, ActiveRun>()
  /** Leases of runs that ended while the database was away. */
  const unreleased = new Set<Lease>()
  let counted: SubscriptionCounts = { counts: new Map(), maxLagSeconds: 0 }
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let scanning: Promise<void> | undefined
  let isRequested = false

  async function scan(): Promise<void> {
    for (const lease of unreleased) await release(lease)
    counted = await countSubscriptions(db)
    const live = (counted.counts.get('ACTIVE') ?? 0) + (counted.counts.get('PENDING') ?? 0)
    const limit = MAX_RUNS - runs.size
    if (live > 0 && limit > 0 && !isShuttingDown()) {
      for (const lease of await takeLeases(db, [...runs.keys()], limit)) begin(lease)
    }
    schedule(live > 0 ? SCAN_MS : IDLE_SCAN_MS)
  }

  async function release(lease: Lease): Promise<void> {
    unreleased.add(lease)
    await releaseLease(db, lease)
    unreleased.delete(lease)
  }

  function begin(lease: Lease): void {
    const { id } = lease
    const run: ActiveRun = { isChanged: false, ended: Promise.resolve() }
    const isOver = () => isStopped || isShuttingDown() || run.isChanged
    run.ended = runSubscription(courier, lease, isOver)
      .finally(() => release(lease))
      .catch((cause) =>
        log.warn(
          logLine('Deliveries of a subscription failed', { subscription: id, cause: redactError(cause) })
        )
      )
      .finally(() => {
        runs.delete(id)
        if (run.isChanged) lookSoon()
      })
    runs.set(id, run)
  }

  function look(): void {
    timer = undefined
    scanning = scan()
      .catch((cause) => {
        log.warn(logLine('Cannot look for subscriptions', { cause: redactError(cause) }))
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
    }
  }
}
