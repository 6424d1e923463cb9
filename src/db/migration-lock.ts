import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'

/** Key of an advisory lock: one instance migrates while the others that start wait. */
const MIGRATION_LOCK = 5_417_264

const NAME = `the migration lock (advisory lock ${MIGRATION_LOCK})`

/** Pause between two attempts to get the lock. */
const RETRY_DELAY_MS = 100

export interface LockWait {
  /** Receives a message each time when `reportMs` have passed without the lock. */
  warn: (message: string) => void
  reportMs: number
  /** The wait ends with an error after this many ms. */
  timeoutMs: number
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
 * Repeats `attempt` until it returns true: it got the lock. Waits between attempts and not in
 * PostgreSQL, so that the wait takes no connection of a pooler from the instance that migrates.
 * @throws Error if the lock is not free in time; the errors of `attempt`.
 */
export async function waitForMigrationLock(
  db: Queryable,
  attempt: () => Promise<boolean>,
  { warn, reportMs, timeoutMs }: LockWait
): Promise<void> {
  const start = performance.now()
  let nextReport = reportMs
  while (!(await attempt())) {
    const waited = performance.now() - start
    if (waited >= timeoutMs)
      throw new Error(
        `Waited ${seconds(waited)} for ${NAME}. ${await describeHolder(db)} Start again when it has migrated the database, or end its session with pg_terminate_backend if it does not migrate.`
      )
    if (waited >= nextReport) {
      nextReport = waited + reportMs
      warn(`Waiting for ${NAME} for ${seconds(waited)}. ${await describeHolder(db)}`)
    }
    await pause(RETRY_DELAY_MS)
  }
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`

async function describeHolder(db: Queryable): Promise<string> {
  const [holder] = await db.execute(sql`
    select pid, application_name as name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid, objid, objsubid) = (0, ${MIGRATION_LOCK}, 1)
      and database = (select oid from pg_database where datname = current_database())`)
  return holder
    ? `PostgreSQL process ${holder.pid} (application_name ${JSON.stringify(holder.name)}) holds it.`
    : 'It has just been released.'
}
