import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { type CommandContext, plural } from './command.js'
import { createRecorder } from './recorder.js'

/** A table with a partition for each month. */
type MonthlyTable = 'audit_events' | 'events'

/** The partition of a month. */
interface Partition extends Record<string, unknown> {
  name: string
  /** Detached from the table, or a command that was ended had begun to detach it. */
  state: 'attached' | 'pending' | 'detached'
}

/** Which months to remove, and the names of that in the audit record. */
interface MonthRemoval {
  table: MonthlyTable
  /** What the table holds, in the plural. */
  noun: string
  /** An interval. Months that ended at least as long ago are removed. */
  age: SQL
  previewAs: string
  removeAs: string
  /** False prints what would be removed. */
  isConfirmed: boolean
}

/**
 * Removes the partitions of old months one by one, each after its own audit record, whose request
 * id is the name of the partition. A run that is ended continues with the next one.
 */
export async function removeExpiredMonths(context: CommandContext, removal: MonthRemoval): Promise<void> {
  const { db, print } = context
  const { table, age, removeAs, isConfirmed } = removal
  const expired = await expiredPartitions(db, table, age)
  if (!isConfirmed) return preview(context, removal, expired)
  const { record } = await createRecorder(db)
  for (const partition of expired) {
    const { name } = partition
    await record({ operation: removeAs, interaction: 'delete', requestId: name })
    await removePartition(db, table, partition)
    print(`Removed: ${name}`)
  }
  print(`Removed ${plural(expired.length, 'month')}.`)
}

async function preview(
  { db, print }: CommandContext,
  { noun, previewAs }: MonthRemoval,
  expired: readonly Partition[]
): Promise<void> {
  const { record } = await createRecorder(db)
  await record({ operation: previewAs, interaction: 'read' })
  for (const { name } of expired) {
    const [row] = await db.execute(sql`select count(*)::text as count from ${sql.identifier(name)}`)
    print(`${name}: ${row?.count} ${noun}`)
  }
  print(`Would remove ${plural(expired.length, 'month')}. Nothing was removed: repeat it with --confirm.`)
}

/** Partitions of months that ended at least `age`, an interval, ago; the oldest first. */
const expiredPartitions = (db: Database, table: MonthlyTable, age: SQL): Promise<readonly Partition[]> =>
  db.execute<Partition>(sql`
    select relname as name,
      case when inhdetachpending then 'pending' when inhparent is null then 'detached' else 'attached' end as state
    from pg_class left join pg_inherits on inhrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname ~ ${`^${table}_[0-9]{4}_(0[1-9]|1[0-2])$`}
      and to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' + ${age} <= now() at time zone 'UTC'
    order by relname`)

/** Removes a partition. Without a transaction: so it blocks no request. */
async function removePartition(db: Database, table: MonthlyTable, { name, state }: Partition): Promise<void> {
  const [parent, partition] = [sql.identifier(table), sql.identifier(name)]
  if (state === 'attached')
    await db.execute(sql`alter table ${parent} detach partition ${partition} concurrently`)
  if (state === 'pending') await db.execute(sql`alter table ${parent} detach partition ${partition} finalize`)
  await db.execute(sql`drop table ${partition}`)
}
