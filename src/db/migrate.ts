import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import type { Sql } from 'postgres'
import { projectRoot } from '../platform/util/project-root.js'
import { openConnection } from './driver/connection.js'
import type { Queryable } from './driver/database.js'

const migrationsFolder = join(projectRoot, 'drizzle', 'migrations')

/** Key of an advisory lock: one instance migrates while the others that start wait. */
const MIGRATION_LOCK = 5_417_264

/** PostgreSQL 15, as in `server_version_num`. */
const MIN_SERVER_VERSION = 150_000

/**
 * Migrates the database to the schema of this version. Safe when several instances start at once.
 * @throws Error if the server is too old, or the database has migrations that this version does not
 *   know.
 */
export async function migrate(url: string): Promise<void> {
  const connection = openConnection(url, { onnotice: () => {}, connect_timeout: 10 })
  const db = drizzle(connection as unknown as Sql)
  try {
    await assertServerVersion(db)
    await db.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`)
    await assertKnownMigrations(db)
    await applyMigrations(db, { migrationsFolder })
  } finally {
    // Closing the connection releases the lock.
    await connection.end()
  }
}

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
