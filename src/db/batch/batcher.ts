import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { isOutcomeUnknown, unwrapDriverError } from '../../platform/errors/pg-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { meter } from '../../platform/telemetry/meter.js'
import { timed, withoutTimings } from '../../platform/telemetry/request-timings.js'
import type { Database } from '../driver/database.js'

/** Adds an entry to the next batch of a database. Resolves with the result of this entry. */
export type Batcher<T, R> = (db: Database, entry: T) => Promise<R>

export interface BatcherOptions<T, R> {
  name: string
  /** Processes all entries or none. Returns one result per entry, in their order. */
  execute: (db: Database, entries: readonly T[]) => Promise<readonly R[]>
  /** Called for each entry right before its batch. If it throws, only this entry is rejected. */
  beforeExecute?: (entry: T) => void
  weight?: (entry: T) => number
  /** Maximum weight of a batch, except for a batch with a single entry. */
  maxBatchWeight: number
  /** Start the next batch after this many milliseconds even if a batch is in flight. */
  maxWaitMs: number
  /**
   * Whether the next batch starts before the results of the former batch are used. This helps if
   * the use takes about as long as the batch.
   */
  inHalves?: boolean
}

interface Waiter<T, R> {
  entry: T
  resolve: (result: R) => void
  reject: (cause: unknown) => void
}

/** When this many entries wait, further entries are rejected at once. */
const MAX_QUEUED_ENTRIES = 10_000

/**
 * Creates a batcher (group commit): entries that arrive while a batch is in flight share one
 * statement and one commit. An entry with an invalid content fails only itself.
 * @throws Problem `busy` from the batcher when too many entries wait.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const queues = new WeakMap<Database, (entry: T) => Promise<R>>()
  return (db, entry) => {
    const add = queues.get(db) ?? createQueue(db, options)
    queues.set(db, add)
    return timed(options.name, () => add(entry))
  }
}

/**
 * The queue of one database, whose entries share statements. Returns the function that adds an
 * entry.
 */
function createQueue<T, R>(db: Database, options: BatcherOptions<T, R>): (entry: T) => Promise<R> {
  const { execute, beforeExecute = () => {}, weight = () => 1 } = options
  const { name, maxBatchWeight, maxWaitMs, inHalves = false } = options
  const sizes = meter().createHistogram('ssl.batch.entries', {
    description: 'Entries that share a statement.',
    advice: { explicitBucketBoundaries: [1, 2, 4, 8, 16, 64, 256] }
  })
  const queue: Waiter<T, R>[] = []
  let isRunning = false

  /** Runs a batch or a part of it. Calls `next` when the next batch may start before its end. */
  async function runBatch(waiters: readonly Waiter<T, R>[], next: () => void): Promise<void> {
    const batch = waiters.filter(isAccepted)
    if (batch.length === 0) return
    sizes.record(batch.length, { batch: name })
    const results = await execute(
      db,
      batch.map(({ entry }) => entry)
    )
    if (inHalves && queue.length > 0) {
      next()
      await nextTurn()
    }
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as R)
    })
  }

  function isAccepted({ entry, reject }: Waiter<T, R>): boolean {
    try {
      beforeExecute(entry)
      return true
    } catch (cause) {
      reject(cause)
      return false
    }
  }

  /** The next batch. The callers of the former batch are about to add their next entries. */
  function takeBatch(formerSize: number): Waiter<T, R>[] {
    const count = inHalves && formerSize > 0 ? Math.ceil((queue.length + formerSize) / 2) : queue.length
    let total = 0
    const end = queue.findIndex(({ entry }, index) => {
      total += weight(entry)
      return index === count || (index > 0 && total > maxBatchWeight)
    })
    return queue.splice(0, end < 0 ? queue.length : end)
  }

  async function runAll(): Promise<void> {
    isRunning = true
    for (let size = 0; queue.length > 0; ) {
      if (!inHalves || size === 0) await nextTurn()
      const batch = takeBatch(size)
      size = batch.length
      const ended = new Promise<void>((next) => {
        const run = (part: readonly Waiter<T, R>[]) => runBatch(part, part === batch ? next : () => {})
        void divideOnFailure(batch, run, ({ reject }, cause) => reject(cause)).then(next)
      })
      await Promise.race([ended, pause(maxWaitMs, undefined, { ref: false })])
    }
    isRunning = false
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      if (queue.length >= MAX_QUEUED_ENTRIES) return reject(problem('busy'))
      queue.push({ entry, resolve, reject })
      if (!isRunning) void withoutTimings(runAll)
    })
}

/**
 * Runs `run`, which takes effect for all entries or for none. After a failure that one entry may
 * have caused, runs it for each half, until that entry fails alone.
 */
export async function divideOnFailure<T>(
  entries: readonly T[],
  run: (part: readonly T[]) => Promise<void>,
  fail: (entry: T, cause: unknown) => void
): Promise<void> {
  try {
    await run(entries)
  } catch (cause) {
    if (entries.length === 1 || !isDivisible(cause)) {
      for (const entry of entries) fail(entry, cause)
      return
    }
    const middle = Math.ceil(entries.length / 2)
    await divideOnFailure(entries.slice(0, middle), run, fail)
    await divideOnFailure(entries.slice(middle), run, fail)
  }
}

/**
 * Whether a single entry may have caused the error, by the class of its SQLSTATE: invalid data, a
 * constraint, a conflict, or a program limit. Never if the batch may have taken effect.
 */
function isDivisible(cause: unknown): boolean {
  const error = unwrapDriverError(cause)
  return error !== undefined && !isOutcomeUnknown(cause) && /^(22|23|40|54)/.test(error.code)
}
