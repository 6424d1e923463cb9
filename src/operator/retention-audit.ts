import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { type Command, parseArguments, parseMonths, plural, print } from './command.js'
import { assertOwner } from './owner.js'
import { expiredPartitions, type Partition, removePartition } from './partitions.js'
import { createRecorder } from './recorder.js'

/** `retention audit --months <n> [--confirm]`: removes the months that ended before `n` months. */
export const retainAudit: Command = (args) => {
  const { values, isConfirmed } = parseArguments(args, ['months'])
  const months = parseMonths('months', values.months ?? '')
  return async (db) => {
    await assertOwner(db)
    const expired = await expiredPartitions(db, 'audit_events', sql`make_interval(months => ${months}::int)`)
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
  for (const partition of expired) {
    const { name } = partition
    await record({ operation: 'removeAuditMonth', interaction: 'delete', requestId: name })
    await removePartition(db, 'audit_events', partition)
    print(`Removed: ${name}`)
  }
  print(`Removed ${plural(expired.length, 'month')}.`)
}
