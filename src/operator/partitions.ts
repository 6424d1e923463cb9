import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'

/** A table with a partition for each month. */
type MonthlyTable = 'audit_events' | 'events'

/** The partition of a month. */
export interface Partition extends Record<string, unknown> {
  name: string
  /** Detached from the table, or a command that was ended had begun to detach it. */
  state: 'attached' | 'pending' | 'detached'
}

/** Partitions of months that ended at least `age`, an interval, ago; the oldest first. */
export const expiredPartitions = (
  db: Database,
  table: MonthlyTable,
  age: SQL
): Promise<readonly Partition[]> =>
  db.execute<Partition>(sql`
    select relname as name,
      case when inhdetachpending then 'pending' when inhparent is null then 'detached' else 'attached' end as state
    from pg_class left join pg_inherits on inhrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname ~ ${`^${table}_[0-9]{4}_(0[1-9]|1[0-2])$`}
      and to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' + ${age} <= now() at time zone 'UTC'
    order by relname`)

/** Removes a partition. Without a transaction: so it blocks no request. */
export async function removePartition(
  db: Database,
  table: MonthlyTable,
  { name, state }: Partition
): Promise<void> {
  const [parent, partition] = [sql.identifier(table), sql.identifier(name)]
  if (state === 'attached')
    await db.execute(sql`alter table ${parent} detach partition ${partition} concurrently`)
  if (state === 'pending') await db.execute(sql`alter table ${parent} detach partition ${partition} finalize`)
  await db.execute(sql`drop table ${partition}`)
}
