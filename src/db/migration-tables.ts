import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'
import type { PendingMigration } from './schema-state.js'

/** The tables that the save of an order locks, in its order: in another one there are deadlocks. */
export const SAVE_ORDER: readonly string[] = [
  'devices',
  'orders',
  'order_lines',
  'trace_lines',
  'events',
  'audit_events'
]

/** Statements that lock a table against all others, and those that lock it against writes. */
const EXCLUSIVE = /^\s*(alter|drop|truncate|do|create table|create( or replace)?( constraint)? trigger)\b/im
const AGAINST_WRITES = /^\s*create( unique)? index\b/im

export interface TableLock {
  table: string
  mode: 'access exclusive' | 'share'
}

/**
 * The locks that migrations need on present tables, in the order to take them. The name of an index
 * begins with that of its table.
 */
export async function neededLocks(
  db: Queryable,
  migrations: readonly PendingMigration[]
): Promise<TableLock[]> {
  const statements = migrations.flatMap((migration) => migration.statements)
  const rows = await db.execute<{ table: string }>(sql`
    select relname as table from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
    order by array_position(${sql.param(`{${SAVE_ORDER.join()}}`)}::text[], relname::text), relname`)
  return rows.flatMap(({ table }): TableLock[] => {
    const naming = statements.filter((text) => new RegExp(`\\b${table}`).test(text))
    if (naming.some((text) => EXCLUSIVE.test(text))) return [{ table, mode: 'access exclusive' }]
    return naming.some((text) => AGAINST_WRITES.test(text)) ? [{ table, mode: 'share' }] : []
  })
}

/**
 * Takes the locks, all of them within a time that is shorter than `deadlock_timeout`: a request
 * that waits for a lock of the migration then gets it before PostgreSQL checks for a deadlock.
 */
export async function takeLocks(
  tx: Queryable,
  locks: readonly TableLock[],
  timeoutMs: number
): Promise<void> {
  const end = performance.now() + timeoutMs
  for (const { table, mode } of locks) {
    const left = Math.max(1, Math.floor(end - performance.now()))
    await tx.execute(sql.raw(`set local lock_timeout = ${left}`))
    await tx.execute(sql`lock table ${sql.identifier(table)} in ${sql.raw(mode)} mode`)
  }
  await tx.execute(sql.raw(`set local lock_timeout = ${timeoutMs}`))
}
