import { randomUUID } from 'node:crypto'
import { redactError } from '../../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../../platform/logging/log-line.js'
import type { Courier } from './deliver.js'
import { countSubscriptions, type SubscriptionCounts } from './delivery-metrics.js'
import { newLease, releaseLease, takeLeases, takeShare } from './lease.store.js'
import { runSubscription } from './run.js'

/** Milliseconds between two looks for subscriptions without a lease, while one delivers. */
const SCAN_MS = 2000

/** Milliseconds between two looks while there are subscriptions, but none delivers. */
const IDLE_SCAN_MS = 10_000

/** Subscriptions that one instance delivers for. */
const MAX_RUNS = 1000

/** Delivers for the subscriptions whose leases this instance gets. */
export interface Dispatcher {
  start(): void
  /** Looks now, and again at the subscription that was changed. */
  wake(id: string): void
  /**
   * Looks if there was no subscription at the last look, some time ago: another instance may have
   * created one since, and ended.
   */
  noticeRequest(): void
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
  const instance = randomUUID()
  const runs = new Map<string, ActiveRun>()
  let counted: SubscriptionCounts = { counts: new Map(), maxLagSeconds: 0 }
  let isStopped = false
  let lookedAt = 0
  let timer: NodeJS.Timeout | undefined
  let scanning: Promise<void> | undefined
  let isRequested = false

  async function scan(): Promise<void> {
    lookedAt = performance.now()
    counted = await countSubscriptions(db)
    const live = (counted.counts.get('ACTIVE') ?? 0) + (counted.counts.get('PENDING') ?? 0)
    const limit = MAX_RUNS - runs.size
    if (live > 0 && limit > 0 && !isShuttingDown()) {
      const lease = newLease(instance)
      const free = await takeLeases(db, lease, limit)
      for (const id of free.length > 0 ? free : await takeShare(db, lease, limit)) begin(id, lease)
    }
    // Nothing is polled where nobody subscribes.
    if (counted.counts.size > 0) schedule(live > 0 ? SCAN_MS : IDLE_SCAN_MS)
  }

  function begin(id: string, lease: string): void {
    const before = runs.get(id)?.ended
    const run: ActiveRun = { isChanged: false, ended: Promise.resolve() }
    const isOver = () => isStopped || isShuttingDown() || run.isChanged
    // An earlier run of this instance that lost its lease may still be ending.
    run.ended = (before ?? Promise.resolve())
      .then(() => runSubscription(courier, { id, lease }, isOver))
      .catch(async (cause) => {
        log.warn(
          logLine('Deliveries of a subscription failed', { subscription: id, cause: redactError(cause) })
        )
        await releaseLease(db, { id, lease }).catch(() => {})
      })
      .finally(() => {
        if (runs.get(id) === run) runs.delete(id)
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
    noticeRequest() {
      const isIdle = timer === undefined && scanning === undefined && !isStopped
      if (isIdle && performance.now() - lookedAt > IDLE_SCAN_MS) look()
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
