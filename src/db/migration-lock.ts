import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'

/** Key of an advisory lock: one instance migrates while the others that start wait. */
const MIGRATION_LOCK = 5_417_264

const NAME = `the migration lock (advisory lock ${MIGRATION_LOCK})`

/** Pause between two attempts to get the migration lock. */
const RETRY_DELAY_MS = 100

/** Another session may hold the migration lock, or a table that the migration changes. */
export type MigrationAttempt = 'migrated' | 'locked' | 'table-in-use'

export interface LockWait {
  /** Receives a message each time when `reportMs` have passed, and for each table in use. */
  warn: (message: string) => void
  reportMs: number
  /** The wait ends with an error after this many ms. */
  timeoutMs: number
  /** Pause in ms after a table was in use. Requests that were queued meanwhile continue in it. */
  tableRetryMs: number
  signal: AbortSignal
}

/**
 * Takes the migration lock, unless another session holds it. It ends with the transaction: a lock
 * of the session would outlive its owner in a connection pooler.
 */
export async function tryMigrationLock(tx: Queryable): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as acquired`)
  return row?.acquired === true
}

/**
 * Repeats `attempt` until it has migrated. Between attempts no request queues behind it for a
 * table, and it takes no connection of a pooler from the instance that migrates.
 * @throws Error if the locks are not free in time; AbortError; the errors of `attempt`.
 */
export async function waitForMigration(
  db: Queryable,
  attempt: () => Promise<MigrationAttempt>,
  tables: () => Promise<string[]>,
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
    const holder = async () => (isLocked ? describeHolder(db) : describeUsers(db, await tables()))
    if (waited >= timeoutMs)
      throw new Error(
        `Waited ${seconds(waited)} for ${what}. ${await holder()} ${isLocked ? 'Start again when it has migrated the database, or end its session with pg_terminate_backend if it does not migrate.' : 'Start again when that has ended, or end the session with pg_terminate_backend. Nothing was migrated.'}`
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
  const [holder] = await db.execute<Session>(sql`
    select ${sessionColumns} from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid, objid, objsubid) = (0, ${MIGRATION_LOCK}, 1)
      and database = (select oid from pg_database where datname = current_database())`)
  return holder ? `${describeSession(holder)} holds it.` : RELEASED
}

const MAX_SESSIONS = 3

/** Milliseconds after which a transaction that still holds its lock is no short one. */
const SHORT_TRANSACTION_MS = 100

/**
 * Describes who holds a lock on one of these tables. In pg_locks every role sees all transactions.
 */
async function describeUsers(db: Queryable, tables: readonly string[]): Promise<string> {
  const find = () =>
    db.execute<Session & { transaction: string; table: string }>(sql`
      select distinct on (virtualtransaction) ${sessionColumns}, virtualtransaction as transaction,
        relation::regclass::text as table
      from pg_locks left join pg_stat_activity using (pid)
      where locktype = 'relation' and granted and pid is distinct from pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and relation = any(array(select to_regclass(quote_ident(name))::oid
          from unnest(${sql.param(`{${tables.join()}}`)}::text[]) name))
      order by virtualtransaction, relation`)
  const before = new Set((await find()).map(({ transaction }) => transaction))
  await pause(SHORT_TRANSACTION_MS)
  const users = (await find()).filter(({ transaction }) => before.has(transaction))
  if (users.length === 0) return RELEASED
  return users
    .slice(0, MAX_SESSIONS)
    .map((user) => `${describeSession(user)} holds a lock on ${user.table}.`)
    .join(' ')
}

const RELEASED = 'It has just been released.'

/** What every role may see of a session. The state of sessions of other roles is null. */
interface Session extends Record<string, unknown> {
  pid: number | null
  user: string | null
  state: string | null
  name: string | null
}

const sessionColumns = sql.raw('pid, usename as user, state, application_name as name')

function describeSession({ pid, user, state, name }: Session): string {
  if (pid === null) return 'A prepared transaction (pg_prepared_xacts)'
  return `PostgreSQL process ${pid} (user ${user}, ${state === null ? '' : `${state}, `}application_name ${JSON.stringify(name)})`
}
