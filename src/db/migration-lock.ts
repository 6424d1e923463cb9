import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'

/** Key of an advisory lock: one instance migrates while other starting instances wait. */
const MIGRATION_LOCK = 5_417_264

/** Pause between two attempts to get the migration lock. */
const RETRY_DELAY_MS = 100

/** Another session may have the migration lock, or lock a table that the migration changes. */
export type MigrationAttempt = 'migrated' | 'locked' | 'table-in-use'

export interface LockWait {
  /** Receives a message every `reportMs` milliseconds, and for each table in use. */
  warn: (message: string) => void
  reportMs: number
  /** The wait ends with an error after this many milliseconds. */
  timeoutMs: number
  /** Pause in milliseconds after a table was in use, in which queued requests continue. */
  tableRetryMs: number
  signal: AbortSignal
}

/**
 * Takes the migration lock, unless another session has it. The lock ends with the transaction: a
 * lock of the session would outlive its owner in a connection pooler.
 */
export async function tryMigrationLock(tx: Queryable): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as acquired`)
  return row?.acquired === true
}

/** The object that a migration waits for, and the query that finds the blocking session. */
const waits: Readonly<Record<Exclude<MigrationAttempt, 'migrated'>, string>> = {
  locked: `the migration lock. Its session: select pid from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK}`,
  'table-in-use':
    'a table that is in use. The sessions with long transactions: select pid, application_name from pg_stat_activity order by xact_start'
}

/**
 * Repeats `attempt` until it has migrated. Between attempts no request waits behind the migration
 * for a table.
 * @throws Error if the locks are not free in time; AbortError; the errors of `attempt`.
 */
export async function waitForMigration(
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
    const seconds = Math.round(waited / 1000)
    if (waited >= timeoutMs)
      throw new Error(
        `Nothing was migrated in ${seconds} s. Start again when that session has ended, or end it with pg_terminate_backend. The migration waits for ${waits[result]}`
      )
    if (result === 'table-in-use' || waited >= nextReport) {
      nextReport = waited + reportMs
      warn(`Waiting for ${seconds} s for ${waits[result]}`)
    }
    await pause(result === 'locked' ? RETRY_DELAY_MS : tableRetryMs, undefined, { signal })
  }
}
