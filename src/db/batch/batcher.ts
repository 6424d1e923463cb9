import { setImmediate as immediate } from 'node:timers/promises'
import { withTimeout } from '../../platform/concurrency/with-timeout.js'
import { driverError, isOutcomeUnknown } from '../../platform/errors/pg-errors.js'
import { problem } from '../../platform/errors/problem.js'

/** Hands an entry in, to be dealt with together with others; resolves with what is answered for it, rejects when that fails. */
export type Batcher<T, R> = (entry: T) => Promise<R>

export interface BatcherOptions<T, R> {
  /** Deals with all entries or with none, and answers for each of them. */
  run: (entries: readonly T[]) => Promise<readonly R[]>
  /** Called for each entry right before its group runs; an entry for which it throws is rejected and left out. */
  start?: (entry: T) => void
  /** How much an entry is, 1 unless told; a group is no more than `largest`, or a single entry. */
  sizeOf?: (entry: T) => number
  largest: number
  /** Milliseconds after which the next group does not wait any longer for the one under way. */
  patience: number
}

interface Waiting<T, R> {
  entry: T
  resolve: (result: R) => void
  reject: (cause: unknown) => void
}

/** Entries that wait at most; further ones are rejected at once. */
const longest = 10_000

/**
 * Makes those that come in the same turn of the event loop, or while a group is under way, share the next one: one statement, and
 * one commit, for all of them. An entry that is at fault fails alone; when something else fails, its whole group does.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { run, start = () => {}, sizeOf = () => 1, largest, patience } = options
  const waiting: Waiting<T, R>[] = []
  let isRunning = false

  async function runGroup(entries: readonly Waiting<T, R>[]): Promise<void> {
    const group = entries.filter(isStarted)
    if (group.length === 0) return
    try {
      const results = await run(group.map(({ entry }) => entry))
      group.forEach(({ resolve }, at) => {
        resolve(results[at] as R)
      })
    } catch (cause) {
      if (group.length > 1 && isDivisible(cause)) {
        const half = Math.ceil(group.length / 2)
        await runGroup(group.slice(0, half))
        await runGroup(group.slice(half))
      } else for (const { reject } of group) reject(cause)
    }
  }

  function isStarted({ entry, reject }: Waiting<T, R>): boolean {
    try {
      start(entry)
      return true
    } catch (cause) {
      reject(cause)
      return false
    }
  }

  function nextGroup(): Waiting<T, R>[] {
    let size = 0
    const end = waiting.findIndex(({ entry }, at) => {
      size += sizeOf(entry)
      return at > 0 && size > largest
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  async function runAll(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      await immediate()
      await withTimeout(patience, runGroup(nextGroup()), () => new Error('It takes long.')).catch(() => {})
    }
    isRunning = false
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= longest) return reject(tooMany())
      waiting.push({ entry, resolve, reject })
      if (!isRunning) void runAll()
    })
}

/**
 * Whether one part of a group may do better than all of it. By classes of SQLSTATE: a value that cannot be stored, a constraint, a
 * conflict with another transaction, a limit of the program. Never where the group may have taken effect.
 */
const isDivisible = (cause: unknown) =>
  /^(22|23|40|54)/.test(driverError(cause)?.code ?? '') && !isOutcomeUnknown(cause)

const tooMany = () =>
  problem('busy', 'Too many wait for the database. Try again later.', { headers: { 'retry-after': '5' } })
