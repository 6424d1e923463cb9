import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'

/** Key of an advisory lock: one instance migrates while the others that start wait. */
const MIGRATION_LOCK = 5_417_264

const NAME = `the migration lock (advisory lock ${MIGRATION_LOCK})`

/** Pause between two attempts to get the migration lock. */
const RETRY_DELAY_MS = 100

/**
 * The result of an attempt to migrate: another session holds the migration lock, or a lock on a
 * table that the migration changes.
 */
export type MigrationAttempt = 'migrated' | 'locked' | 'table-in-use'

export interface LockWait {
  /** Receives a message each time when `reportMs` have passed, and for each table in use. */
  warn: (message: string) => void
  reportMs: number
  /** The wait ends with an error after this many ms. */
  timeoutMs: number
  /** Pause in ms after a table was in use. Requests that were queued meanwhile continue in it. */
  tableRetryMs: number
  /** Aborts the wait. */
  signal: AbortSignal
}

/**
 * Acquires the migration lock until the end of the transaction, unless another session holds it.
 * A lock of the session would outlive its owner in a connection pooler.
 * @returns whether it was acquired.
 */
export async function tryMigrationLock(tx: Queryable): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as acquired`)
  return row?.acquired === true
}

/**
 * Repeats `attempt` until it has migrated. Waits between attempts and not in PostgreSQL: so the
 * wait takes no connection of a pooler from the instance that migrates, and no request queues
 * behind it for a table.
 * @throws Error if the locks are not free in time; AbortError; the errors of `attempt`.
 */
export async function waitForMigration(
  db: Queryable,
  attempt: () => Promise<MigrationAttempt>,
  { warn, reportMs, timeoutMs, tableRetryMs, signal }: LockWait
): Promise<void> {
  const start = performance.now()
  let nextReport = reportMs
  for (;;) {
    signal.throwIfAborted()
    const result = await attempt()
    if (result === 'migrated') return
    const waited = performance.now() - start
    const isLocked = result === 'locked'
    const what = isLocked ? NAME : 'a table that is in use'
    const holder = () => (isLocked ? describeHolder(db) : describeOldestTransaction(db))
    if (waited >= timeoutMs)
      throw new Error(
        `Waited ${seconds(waited)} for ${what}. ${await holder()} ${isLocked ? 'Start again when it has migrated the database, or end its session with pg_terminate_backend if it does not migrate.' : 'Start again when it has ended, or end its session with pg_terminate_backend. Nothing was migrated.'}`
      )
    if (!isLocked || waited >= nextReport) {
      nextReport = waited + reportMs
      warn(`Waiting for ${what} for ${seconds(waited)}. ${await holder()}`)
    }
    await pause(isLocked ? RETRY_DELAY_MS : tableRetryMs, undefined, { signal })
  }
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`

async function describeHolder(db: Queryable): Promise<string> {
  const [holder] = await db.execute(sql`
    select pid, application_name as name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid, objid, objsubid) = (0, ${MIGRATION_LOCK}, 1)
      and database = (select oid from pg_database where datname = current_database())`)
  return holder ? `${describeSession(holder)} holds it.` : 'It has just been released.'
}

/** PostgreSQL does not say which session had the lock; most likely the longest transaction. */
async function describeOldestTransaction(db: Queryable): Promise<string> {
  const [oldest] = await db.execute(sql`
    select pid, application_name as name, extract(epoch from now() - xact_start) * 1000 as ms
    from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
    order by xact_start limit 1`)
  return oldest
    ? `The oldest transaction is that of ${describeSession(oldest)}, for ${seconds(Number(oldest.ms))}.`
    : 'It has just been released.'
}

const describeSession = ({ pid, name }: Record<string, unknown>) =>
  `PostgreSQL process ${pid} (application_name ${JSON.stringify(name)})`
