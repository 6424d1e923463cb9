import { sql } from 'drizzle-orm'
import { unwrapDriverError } from '../platform/errors/pg-errors.js'
import { type Database, databaseOf, type Queryable } from './driver/database.js'
import { createPool } from './driver/pool.js'
import { type Grants, grantRights } from './grants.js'
import { type LockWait, type MigrationAttempt, tryMigrationLock, waitForMigration } from './migration-lock.js'
import { applyMigrations, MIGRATIONS_FOLDER, pendingMigrations, schemaState } from './schema-state.js'
import { unitOfWork } from './unit-of-work.js'

/** PostgreSQL 15, as in `server_version_num`. */
const MIN_SERVER_VERSION = 150_000

/**
 * A migration that waits for a table gives up after this time. The time is below `deadlock_timeout`
 * (a second), so that PostgreSQL cancels no request that waits for the migration and blocks it.
 */
const LOCK_TIMEOUT_MS = 500

/** SQLSTATE lock_not_available, deadlock_detected. */
const LOCK_ERRORS = new Set<string | undefined>(['55P03', '40P01'])

export interface MigrateOptions extends LockWait {
  /** A role that serves without owning the schema, and its rights. */
  grants?: Grants | undefined
  folder: string
}

/** A migration reports every 5 s that it waits, and fails after 10 minutes. */
const defaults: MigrateOptions = {
  warn: () => {},
  reportMs: 5000,
  timeoutMs: 600_000,
  tableRetryMs: 5000,
  signal: new AbortController().signal,
  folder: MIGRATIONS_FOLDER
}

/**
 * Migrates the database to the schema of this version in one transaction, unless the schema is up
 * to date. Safe when several instances start at once, also through a connection pooler.
 * @throws Error with the remedy if that is impossible or a lock is held for too long; AbortError.
 */
export async function migrate(url: string, options: Partial<MigrateOptions> = {}): Promise<void> {
  const settings = { ...defaults, ...options }
  const pool = createPool(url, 1, {
    onnotice: () => {},
    connect_timeout: 10,
    // No statement is repeated, and a pooler may not keep prepared statements.
    prepare: false,
    connection: { application_name: 'ssl-backend migration' }
  })
  const db = databaseOf(pool)
  try {
    await assertServer(db)
    if ((await schemaState(db, settings.folder)) === 'current' && !settings.grants) return
    await assertMayMigrate(db)
    await waitForMigration(() => tryMigrate(db, settings), settings)
  } finally {
    await pool.end()
  }
}

async function tryMigrate(db: Database, { folder, grants }: MigrateOptions): Promise<MigrationAttempt> {
  try {
    return await unitOfWork({ db }, null, async ({ tx }) => {
      // Each statement sees all changes that were committed before the lock was acquired.
      await tx.execute(sql`set transaction isolation level read committed`)
      // The time limit of the role is for requests.
      await tx.execute(sql`set local statement_timeout = 0`)
      await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`))
      if (!(await tryMigrationLock(tx))) return 'locked'
      if ((await schemaState(tx, folder)) === 'older')
        await applyMigrations(tx, await pendingMigrations(tx, folder))
      if (grants) await grantRights(tx, grants)
      return 'migrated'
    })
  } catch (error) {
    if (LOCK_ERRORS.has(unwrapDriverError(error)?.code)) return 'table-in-use'
    throw error
  }
}

async function assertServer(db: Queryable): Promise<void> {
  const [row] = await db.execute(
    sql`select current_setting('server_version_num')::int as version, version() as name,
      (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()) as encoding`
  )
  if (Number(row?.version) < MIN_SERVER_VERSION)
    throw new Error(`PostgreSQL 15 or newer is required. This is ${row?.name}.`)
  // Words are folded by normalize(), which supports no other encoding.
  if (row?.encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${row?.encoding}. Create one with createdb --template=template0 --encoding=UTF8.`
    )
}

/**
 * The owner of the record of migrations may migrate; before the first migration, a role that may
 * create the record.
 */
async function assertMayMigrate(db: Queryable): Promise<void> {
  const [row] = await db.execute(sql`
    select quote_ident(current_user) as role, coalesce(
      (select pg_has_role(relowner, 'USAGE') from pg_class
        where oid = to_regclass('drizzle.__drizzle_migrations')),
      has_database_privilege(current_database(), 'CREATE')) as "mayMigrate"`)
  if (row?.mayMigrate !== true)
    throw new Error(
      `The schema of the database is older than this version, and the role ${row?.role} may not migrate it. Run node dist/program/main.js migrate with the owner of the schema in DATABASE_URL. Then start again.`
    )
}
