import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { withTimeout } from '../../platform/concurrency/with-timeout.js'
import { isConnectionLost, unwrapDriverError } from '../../platform/errors/pg-errors.js'
import { type Log, logLine } from '../../platform/logging/log-line.js'
import type { Queryable } from '../driver/database.js'
import { Freshness, type Lsn } from './freshness.js'

/** The replication from the primary to the standby that this instance may read from. */
export interface Replication {
  /** Whether reads may go to the standby now. */
  isReadable(): boolean
  /** Whether the primary did not respond when it was last asked. */
  isPrimaryUnreachable(): boolean
  /** A read found the standby gone: it is not read from until it responds to the monitor. */
  standbyFailed(): void
  /**
   * Resolves when the standby has replayed what is committed now, or when no instance reads from it
   * before it has. That is `maxLagMs` later at most.
   */
  replayed(): Promise<void>
}

export interface MonitorOptions {
  /** Connections of the monitor. */
  primary: Queryable
  standby: Queryable
  /** The pool of the instance, for the position of its own writes. */
  db: Queryable
  /** See {@link Freshness}. */
  maxLagMs: number
  log: Log
}

/** Pauses between the queries of writes that wait. */
const MAX_PAUSE_MS = 50

/** Asks primary and standby for their positions five times in `maxLagMs`, until `close`. */
export function startMonitor({ primary, standby, db, maxLagMs, log }: MonitorOptions) {
  const now = () => performance.now()
  const freshness = new Freshness(maxLagMs, now())
  const intervalMs = maxLagMs / 5
  let cluster: string | undefined
  let reason = ''
  let reported = 'false '
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const askPrimary = singleFlight(2 * intervalMs, async () => {
    const askedAt = now()
    const position = await primaryPosition(primary)
    cluster = position.cluster
    freshness.primaryAt(position.lsn, askedAt, now())
  })
  const askStandby = singleFlight(intervalMs, async () => {
    const position = await standbyPosition(standby)
    if (cluster !== undefined && position.cluster !== cluster) throw new NotAStandby()
    freshness.standbyAt(position.lsn, now())
  })

  async function checkPrimary(): Promise<void> {
    await askPrimary().catch((cause) => {
      if (isUnreachable(cause)) freshness.primaryUnreachable()
    })
  }
  async function checkStandby(): Promise<void> {
    await askStandby().then(
      () => {
        reason = ''
      },
      (cause: Error) => {
        reason = cause instanceof NotAStandby ? 'not-a-standby' : 'no-response'
        freshness.standbyUnreachable()
      }
    )
  }
  async function check(): Promise<void> {
    await checkPrimary()
    await checkStandby()
    report()
    if (!isClosed) timer = setTimeout(() => void check(), intervalMs).unref()
  }
  /** Logs a change. */
  function report(): void {
    const isReadable = freshness.isReadable(now())
    const state = `${isReadable} ${reason}`
    if (state === reported) return
    reported = state
    if (isReadable) log.info(logLine('Catalogues are read from the standby'))
    else log.warn(logLine('Catalogues are read from the primary', { reason: reason || 'behind' }))
  }

  async function replayed(): Promise<void> {
    const start = now()
    const isAwaited = () => freshness.isAwaited(now()) && now() - start < maxLagMs
    if (!isAwaited()) return
    const lsn = await withTimeout(maxLagMs, primaryPosition(db), () => new NoResponse()).then(
      (position) => position.lsn,
      () => undefined
    )
    for (let pauseMs = 1; isAwaited(); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await checkStandby()
      if (lsn !== undefined && freshness.hasReplayed(lsn)) return
      await pause(pauseMs)
    }
    if (lsn !== undefined) freshness.require(lsn)
  }

  const replication: Replication = {
    isReadable: () => freshness.isReadable(now()),
    isPrimaryUnreachable: () => freshness.isPrimaryUnreachable,
    standbyFailed: () => freshness.standbyUnreachable(),
    replayed
  }
  void check()
  return {
    replication,
    close() {
      isClosed = true
      clearTimeout(timer)
    }
  }
}

interface Position {
  lsn: Lsn
  /** Identifies the cluster and the database. A standby has those of its primary. */
  cluster: string
}

const cluster = sql`(select system_identifier from pg_control_system()) || ' ' || current_database()`

async function primaryPosition(db: Queryable): Promise<Position> {
  const [row] = await db.execute<{ lsn: string; cluster: string }>(
    sql`select pg_current_wal_lsn() - '0/0'::pg_lsn as lsn, ${cluster} as cluster`
  )
  if (!row) throw new NoResponse()
  return { lsn: Number(row.lsn), cluster: row.cluster }
}

/** @throws NotAStandby when the server is a primary, such as a promoted standby. */
async function standbyPosition(db: Queryable): Promise<Position> {
  const [row] = await db.execute<{ lsn: string | null; cluster: string }>(sql`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as lsn, ${cluster} as cluster`)
  if (!row || row.lsn === null) throw new NotAStandby()
  return { lsn: Number(row.lsn), cluster: row.cluster }
}

/** The server of `DATABASE_READ_URL` is not a standby of that of `DATABASE_URL`. */
class NotAStandby extends Error {
  override readonly name = 'NotAStandby'
}

class NoResponse extends Error {
  override readonly name = 'NoResponse'
}

/**
 * A primary that refuses this connection, such as for want of room, is written to all the same. One
 * that shuts down or starts is not.
 */
function isUnreachable(cause: unknown): boolean {
  const { severity, code = '' } = unwrapDriverError(cause) ?? {}
  const isRefusal = severity !== undefined && !code.startsWith('57P')
  return cause instanceof NoResponse || (isConnectionLost(cause) && !isRefusal)
}

/**
 * Runs one query at a time: a call joins the one in flight.
 * @throws NoResponse when it takes longer. The result of the query counts all the same.
 */
function singleFlight(timeoutMs: number, run: () => Promise<void>): () => Promise<void> {
  let inFlight: Promise<void> | undefined
  return () => {
    inFlight ??= run().finally(() => {
      inFlight = undefined
    })
    return withTimeout(timeoutMs, inFlight, () => new NoResponse())
  }
}
