import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'

/**
 * The position up to which the ledger is complete: no open transaction has an event at or before
 * it. Transactions take their positions in another order than they commit.
 */
export interface Horizon {
  /**
   * Starts a scan after this call, or shares a scan that starts after it. Never uses a scan that is
   * already in progress. Returns the present horizon.
   */
  look(): Promise<number>
  /**
   * Scans until the events that were committed before are complete, or a transaction takes too
   * long.
   */
  complete(): Promise<number>
  /** Waits for the interval that all callers share, and scans again. */
  next(): Promise<number>
  /** The last committed position that a scan has seen. */
  lastSeen(): number
  /**
   * When a scan first saw the first event that an open transaction still delays, by
   * `performance.now()`; undefined without such an event or without readers.
   */
  heldSince(): number | undefined
}

/**
 * The last committed position, and the transactions that may have taken earlier positions: their
 * virtual ids in `pg_locks`.
 */
interface Sample {
  at: number
  position: number
  writers: readonly string[]
}

/** Milliseconds between two scans while a reader waits. */
const INTERVAL_MS = 250

/** Milliseconds that {@link Horizon.complete} waits for open transactions. */
const MAX_WAIT_MS = 1000

/** Milliseconds after the last scan during which its result is valid. Readers scan more often. */
const HELD_KNOWN_MS = 60_000

/** Maximum number of samples that are stored while transactions are open. */
const MAX_SAMPLES = 100

/**
 * A transaction gets another id when it is prepared. While a prepared transaction is open, no
 * position is complete.
 */
const isPrepared = (writer: string): boolean => writer.startsWith('-1/')

/**
 * A transaction that inserts an event locks the table from before it takes a position until its
 * rows are visible. A committed position is therefore complete when all transactions that had this
 * lock after its commit have ended. Instances share no state, sessions keep no state, and
 * transactions that write no events do not delay the feed.
 */
export function createHorizon(db: Database): Horizon {
  const samples: Sample[] = []
  let complete = 0
  let lastSeen = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let held: number | undefined
  let looking: Promise<number> | undefined
  let following: Promise<number> | undefined
  let ticking: Promise<number> | undefined

  async function sample(): Promise<number> {
    const [row] = await db.execute<{ position: string | null; writers: string[] }>(lookAtWriters)
    const { position, writers = [] } = row ?? {}
    lastSeen = Math.max(lastSeen, Number(position ?? 0))
    const open = new Set(writers)
    lookedAt = performance.now()
    if (samples.length === MAX_SAMPLES) samples.pop()
    samples.push({ at: lookedAt, position: lastSeen, writers })
    const ended = writers.some(isPrepared)
      ? -1
      : samples.findLastIndex((each) => !each.writers.some((id) => open.has(id)))
    if (ended >= 0) {
      complete = samples[ended]?.position ?? complete
      samples.splice(0, ended + 1)
    }
    held = samples.find(({ position }) => position > complete)?.at
    return complete
  }

  const look = (): Promise<number> => {
    if (!looking) {
      looking = sample().finally(() => {
        looking = undefined
      })
      return looking
    }
    following ??= looking
      .catch(() => {})
      .then(() => {
        following = undefined
        return look()
      })
    return following
  }

  return {
    look,
    async complete() {
      const end = performance.now() + MAX_WAIT_MS
      await look()
      const wanted = lastSeen
      for (let delay = 5; complete < wanted && performance.now() < end; delay *= 2) {
        await pause(Math.min(delay, INTERVAL_MS))
        await look()
      }
      return complete
    },
    next() {
      ticking ??= pause(INTERVAL_MS).then(() => {
        ticking = undefined
        return look()
      })
      return ticking
    },
    lastSeen: () => lastSeen,
    heldSince: () => (performance.now() - lookedAt < HELD_KNOWN_MS ? held : undefined)
  }
}

/** The locks of transactions that write events. */
const eventLocks = sql`pg_locks where locktype = 'relation' and relation = 'events'::regclass
  and mode = 'RowExclusiveLock' and granted
  and database = (select oid from pg_database where datname = current_database())`

/** The snapshot of the statement is older than its view of the locks. */
const lookAtWriters = sql`
  select (select max(position) from events) as position,
    to_json(array(select distinct virtualtransaction from ${eventLocks})) as writers`
