import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { type Command, parseArguments, parseMonths, plural, print } from './command.js'
import { assertOwner } from './owner.js'
import { createRecorder } from './recorder.js'

/** A partition of the audit record. */
interface Partition extends Record<string, unknown> {
  name: string
  /** Detached from the table, or a command that was ended had begun to detach it. */
  state: 'attached' | 'pending' | 'detached'
}

/** `retention audit --months <n> [--confirm]`: removes the months that ended before `n` months. */
export const retainAudit: Command = (args) => {
  const { values, isConfirmed } = parseArguments(args, ['months'])
  const months = parseMonths('months', values.months ?? '')
  return async (db) => {
    await assertOwner(db)
    const expired = await expiredPartitions(db, months)
    await (isConfirmed ? remove(db, expired) : preview(db, expired))
  }
}

async function preview(db: Database, expired: readonly Partition[]): Promise<void> {
  const { record } = await createRecorder(db)
  await record({ operation: 'previewAuditRetention', interaction: 'read' })
  for (const { name } of expired) {
    const [row] = await db.execute(sql`select count(*)::text as count from ${sql.identifier(name)}`)
    print(`${name}: ${row?.count} records`)
  }
  print(`Would remove ${plural(expired.length, 'month')}. Nothing was removed: repeat it with --confirm.`)
}

/**
 * Removes partitions one by one, each after its own audit record, whose request id is the name of
 * the partition. A run that is ended continues with the next one.
 */
async function remove(db: Database, expired: readonly Partition[]): Promise<void> {
  const { record } = await createRecorder(db)
  for (const { name, state } of expired) {
    const partition = sql.identifier(name)
    await record({ operation: 'removeAuditMonth', interaction: 'delete', requestId: name })
    // Without a transaction: so it blocks no request.
    if (state === 'attached')
      await db.execute(sql`alter table audit_events detach partition ${partition} concurrently`)
    if (state === 'pending')
      await db.execute(sql`alter table audit_events detach partition ${partition} finalize`)
    await db.execute(sql`drop table ${partition}`)
    print(`Removed: ${name}`)
  }
  print(`Removed ${plural(expired.length, 'month')}.`)
}

/** Partitions of months that ended at least `months` months ago, oldest first. */
const expiredPartitions = (db: Database, months: number): Promise<readonly Partition[]> =>
  db.execute<Partition>(sql`
    select relname as name,
      case when inhdetachpending then 'pending' when inhparent is null then 'detached' else 'attached' end as state
    from pg_class left join pg_inherits on inhrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname ~ '^audit_events_[0-9]{4}_(0[1-9]|1[0-2])$'
      and to_date(right(relname, 7), 'YYYY_MM') + make_interval(months => ${months}::int + 1)
        <= now() at time zone 'UTC'
    order by relname`)
