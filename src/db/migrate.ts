import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import type { Sql } from 'postgres'
import { projectRoot } from '../platform/util/project-root.js'
import { openConnection, type PooledConnection } from './driver/connection.js'
import type { Queryable } from './driver/database.js'
import type { Executor } from './driver/query.js'
import { type LockWait, tryMigrationLock, waitForMigrationLock } from './migration-lock.js'

const migrationsFolder = join(projectRoot, 'drizzle', 'migrations')

/** PostgreSQL 15, as in `server_version_num`. */
const MIN_SERVER_VERSION = 150_000

/** A start reports every 5 s that it waits for another instance, and fails after 10 minutes. */
const lockWait: LockWait = { warn: () => {}, reportMs: 5_000, timeoutMs: 600_000 }

/**
 * Migrates the database to the schema of this version, in one transaction. Safe when several
 * instances start at once, also through a connection pooler.
 * @param options how to wait while another instance migrates.
 * @throws Error if the server is too old, the database has migrations that this version does not
 *   know, or another session holds the migration lock for too long.
 */
export async function migrate(url: string, options: Partial<LockWait> = {}): Promise<void> {
  const connection = openConnection(url, {
    onnotice: () => {},
    connect_timeout: 10,
    // No statement is repeated, and a pooler may not keep prepared statements.
    prepare: false,
    connection: { application_name: 'ssl-backend migration' }
  })
  const db = drizzle(connection as unknown as Sql)
  try {
    await assertServerVersion(db)
    await waitForMigrationLock(db, () => tryMigrate(connection), { ...lockWait, ...options })
  } finally {
    await connection.end()
  }
}

/** @returns false if another session holds the migration lock. */
const tryMigrate = ({ begin, options }: PooledConnection): Promise<boolean> =>
  begin(async (tx) => {
    // Drizzle's migrator opens a transaction: this one, which holds the lock.
    const db = drizzle({
      ...tx,
      options,
      begin: (run: (tx: Executor) => unknown) => run(tx)
    } as unknown as Sql)
    // Each statement sees what was committed before the lock was acquired.
    await db.execute(sql`set transaction isolation level read committed`)
    // The limit of the role is for requests.
    await db.execute(sql`set local statement_timeout = 0`)
    if (!(await tryMigrationLock(db))) return false
    await assertKnownMigrations(db)
    await applyMigrations(db, { migrationsFolder })
    return true
  })

async function assertServerVersion(db: Queryable): Promise<void> {
  const [row] = await db.execute(
    sql`select current_setting('server_version_num')::int as version, version() as name`
  )
  if (Number(row?.version) < MIN_SERVER_VERSION)
    throw new Error(`PostgreSQL 15 or newer is required. This is ${row?.name}.`)
}

/** An unknown migration comes from another version, most likely a newer one. */
async function assertKnownMigrations(db: Queryable): Promise<void> {
  const [found] = await db.execute(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`
  )
  if (!found?.migrated) return
  const known = new Set(readMigrationFiles({ migrationsFolder }).map((migration) => migration.hash))
  const applied = await db.execute<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`)
  if (applied.some(({ hash }) => !known.has(hash)))
    throw new Error(
      'The database was migrated by another version of this program, most likely a newer one. Start that version or set DATABASE_URL to another database.'
    )
}
