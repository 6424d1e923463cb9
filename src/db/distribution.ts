import { sql } from 'drizzle-orm'
import type { Queryable } from './driver/database.js'

/** Whether Citus distributes tables of the database. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const [found] = await db.execute<{ hasCitus: boolean }>(
    sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as "hasCitus"`
  )
  if (!found?.hasCitus) return false
  const [distributed] = await db.execute(sql`select from pg_dist_partition where partmethod = 'h' limit 1`)
  return distributed !== undefined
}
