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

/** Any number of instances may start at once; this lock lets one migrate while the others wait. */
const lock = 5_417_264

/** The oldest server whose SQL the statements need. */
const oldestServer = 150_000

/**
 * Brings the database up to the schema of this version, safely also when several instances start at once.
 * @throws Error when the server is too old, or its database was migrated by a version of this program that this one does not know.
 */
export async function migrate(url: string): Promise<void> {
  const session = openConnection(url, { onnotice: () => {}, connect_timeout: 10 })
  const db = drizzle(session as unknown as Sql)
  try {
    await refuseOldServer(db)
    await db.execute(sql`select pg_advisory_lock(${lock})`)
    await refuseForeignDatabase(db)
    await applyMigrations(db, { migrationsFolder })
  } finally {
    // Closing the session also gives the lock back.
    await session.end()
  }
}

async function refuseOldServer(db: Queryable): Promise<void> {
  const [row] = await db.execute(
    sql`select current_setting('server_version_num')::int as version, version() as name`
  )
  if (Number(row?.version) < oldestServer)
    throw new Error(`PostgreSQL 15 or newer is needed; this is ${row?.name}.`)
}

/** A migration that this version does not know was made by another one, most likely a newer one. */
async function refuseForeignDatabase(db: Queryable): Promise<void> {
  const [found] = await db.execute(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`
  )
  if (!found?.migrated) return
  const known = new Set(readMigrationFiles({ migrationsFolder }).map((migration) => migration.hash))
  const applied = await db.execute<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`)
  if (applied.some(({ hash }) => !known.has(hash)))
    throw new Error(
      'The database was migrated by another version of this program, most likely a newer one. Start that version, or name another database.'
    )
}
