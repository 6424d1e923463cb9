import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import {
  type Command,
  type CommandContext,
  confirmOption,
  monthsOf,
  parseArguments,
  plural
} from './command.js'
import { assertOwner } from './owner.js'
import { createRecorder } from './recorder.js'

interface Partition extends Record<string, unknown> {
  name: string
  /**
   * Whether the partition is detached from the table, or an interrupted command had begun to detach
   * it.
   */
  state: 'attached' | 'pending' | 'detached'
}

/**
 * Tables with a partition for each month, and the operation of their retention in the audit record.
 */
const monthlyTables = {
  audit_events: { noun: 'records', previewAs: 'previewAuditRetention', removeAs: 'removeAuditMonth' },
  events: { noun: 'events', previewAs: 'previewEventRetention', removeAs: 'removeEventMonth' }
} as const

/** `retention audit --months <n> [--confirm]`: removes the months that ended before `n` months. */
export const removeExpiredRecords: Command = (args) => {
  const { values } = parseArguments(args, { months: { type: 'string' }, ...confirmOption })
  const months = monthsOf(values, 'months')
  return (context) =>
    removeExpiredMonths(context, 'audit_events', sql`make_interval(months => ${months}::int)`, values.confirm)
}

/**
 * `retention events [--confirm]`: removes the months of events before the month of EVENTS_KEPT days
 * ago. No valid cursor refers to these months.
 */
export const removeExpiredEvents: Command = (args) => {
  const { confirm } = parseArguments(args, confirmOption).values
  return (context) =>
    removeExpiredMonths(
      context,
      'events',
      sql`make_interval(days => ${context.eventsKeptDays}::int)`,
      confirm
    )
}

/**
 * Removes the partitions of months that ended at least `age`, an interval, ago, one by one, each
 * after its own audit record, whose request id is the name of the partition. Only shows them unless
 * it is confirmed. The next run completes an interrupted run.
 */
async function removeExpiredMonths(
  { db, account, print }: CommandContext,
  table: keyof typeof monthlyTables,
  age: SQL,
  isConfirmed: boolean
): Promise<void> {
  const { noun, previewAs, removeAs } = monthlyTables[table]
  await assertOwner(db)
  const expired = await expiredPartitions(db, table, age)
  const { record } = await createRecorder({ db, account })
  if (!isConfirmed) await record({ operation: previewAs, interaction: 'read' })
  for (const partition of expired) {
    const { name } = partition
    if (isConfirmed) {
      await record({ operation: removeAs, interaction: 'delete', requestId: name })
      await removePartition(db, table, partition)
      print(`Removed: ${name}`)
    } else {
      const [row] = await db.execute(sql`select count(*)::text as count from ${sql.identifier(name)}`)
      print(`${name}: ${row?.count} ${noun}`)
    }
  }
  const months = plural(expired.length, 'month')
  print(
    isConfirmed
      ? `Removed ${months}.`
      : `Would remove ${months}. Nothing was removed. Repeat the command with --confirm.`
  )
}

/** Partitions of months that ended at least `age` ago; the oldest first. */
const expiredPartitions = (db: Database, table: string, age: SQL): Promise<readonly Partition[]> =>
  db.execute<Partition>(sql`
    select relname as name,
      case when inhdetachpending then 'pending' when inhparent is null then 'detached' else 'attached' end as state
    from pg_class left join pg_inherits on inhrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname ~ ${`^${table}_[0-9]{4}_(0[1-9]|1[0-2])$`}
      and to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' + ${age} <= now() at time zone 'UTC'
    order by relname`)

/** Removes a partition. Runs without a transaction, so that it blocks no request. */
async function removePartition(db: Database, table: string, { name, state }: Partition): Promise<void> {
  const [parent, partition] = [sql.identifier(table), sql.identifier(name)]
  if (state === 'attached')
    await db.execute(sql`alter table ${parent} detach partition ${partition} concurrently`)
  if (state === 'pending') await db.execute(sql`alter table ${parent} detach partition ${partition} finalize`)
  await db.execute(sql`drop table ${partition}`)
}
