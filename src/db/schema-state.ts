import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { projectRoot } from '../platform/program/program.js'
import type { Queryable, Transaction } from './driver/database.js'

/** The folder of the migrations of this version. */
export const MIGRATIONS_FOLDER = join(projectRoot, 'drizzle', 'migrations')

/** Begins the file of a migration on which the former version can serve. */
const ADDITIVE = /^-- Additive\b/

interface Migration {
  hash: string
  /** When it was generated, in milliseconds since 1970. Migrations are applied in this order. */
  generatedAt: number
  isAdditive: boolean
}

export interface MigrationWithStatements extends Migration {
  statements: readonly string[]
}

const knownMigrations = (folder: string): MigrationWithStatements[] =>
  readMigrationFiles({ migrationsFolder: folder }).map(({ hash, folderMillis, sql }) => ({
    hash,
    generatedAt: folderMillis,
    statements: sql,
    isAdditive: ADDITIVE.test(sql[0] ?? '')
  }))

/**
 * Compares the schema of the database with the schema of this version, which can also serve on a
 * newer schema if all unknown migrations are additive.
 * @throws Error if this version cannot serve on the schema.
 */
export async function schemaState(db: Queryable, folder: string): Promise<'current' | 'older'> {
  const applied = await appliedMigrations(db)
  const known = knownMigrations(folder)
  const hashes = new Set(known.map(({ hash }) => hash))
  const unknown = applied.filter(({ hash }) => !hashes.has(hash))
  if (applied.length > 0 && applied.every(({ hash }) => hash !== known[0]?.hash))
    throw new Error(
      'The database was created before version 1.0.0 of this program, with another schema, and cannot be migrated. For the embedded database stop the program, then remove the data folder (DATA_DIR) or set DATA_DIR to another folder. Otherwise create a new database and set DATABASE_URL to it.'
    )
  const isComplete = known.every(({ hash }) => applied.some((each) => each.hash === hash))
  if (unknown.length === 0) return isComplete ? 'current' : 'older'
  const last = known.at(-1)?.generatedAt ?? 0
  if (isComplete && unknown.every(({ generatedAt, isAdditive }) => isAdditive && generatedAt > last))
    return 'current'
  throw new Error(
    'The database was migrated by another version of this program, most likely a newer one, to a schema on which this version cannot serve. Start that version or set DATABASE_URL to another database.'
  )
}

/** The migrations that are missing in the record of the database. */
export async function pendingMigrations(db: Queryable, folder: string): Promise<MigrationWithStatements[]> {
  const applied = new Set((await appliedMigrations(db)).map(({ hash }) => hash))
  return knownMigrations(folder).filter(({ hash }) => !applied.has(hash))
}

/** A database with another baseline may lack the column `additive`. */
async function appliedMigrations(db: Queryable): Promise<Migration[]> {
  const [found] = await db.execute(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`
  )
  if (!found?.migrated) return []
  const rows = await db.execute<{ hash: string; at: string; additive: string | null }>(sql`
    select hash, created_at::text as at, to_jsonb(migration)->>'additive' as additive
    from drizzle.__drizzle_migrations migration`)
  return rows.map(({ hash, at, additive }) => ({
    hash,
    generatedAt: Number(at),
    isAdditive: additive === 'true'
  }))
}

/**
 * Drizzle's migrator would begin a transaction. The record of additive migrations is for programs
 * that do not have their files.
 */
export async function applyMigrations(
  tx: Transaction,
  pending: readonly MigrationWithStatements[]
): Promise<void> {
  await tx.execute(sql`create schema if not exists drizzle`)
  await tx.execute(sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint, additive boolean not null default false)`)
  for (const { statements, hash, generatedAt, isAdditive } of pending) {
    for (const statement of statements) await tx.execute(sql.raw(statement))
    await tx.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at, additive)
      values (${hash}, ${generatedAt}, ${isAdditive})`)
  }
}
