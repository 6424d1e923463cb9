import { sql } from 'drizzle-orm'
import { loadDatabaseConfig } from '../settings/load.js'
import { type Command, parseArguments, plural, print } from './command.js'
import { assertOwner } from './owner.js'
import { expiredPartitions, removePartition } from './partitions.js'
import { createRecorder } from './recorder.js'

/**
 * `retention events [--confirm]`: removes the months of events before the one of EVENTS_KEPT days
 * ago. No cursor that is still valid leads there.
 */
export const retainEvents: Command = (args) => {
  const { isConfirmed } = parseArguments(args)
  const { eventsKeptDays } = loadDatabaseConfig()
  return async (db) => {
    await assertOwner(db)
    const expired = await expiredPartitions(db, 'events', sql`make_interval(days => ${eventsKeptDays}::int)`)
    const { record } = await createRecorder(db)
    if (!isConfirmed) {
      await record({ operation: 'previewEventRetention', interaction: 'read' })
      for (const { name } of expired) {
        const [row] = await db.execute(sql`select count(*)::text as count from ${sql.identifier(name)}`)
        print(`${name}: ${row?.count} events`)
      }
      print(`Would remove ${plural(expired.length, 'month')}. Nothing was removed: repeat it with --confirm.`)
      return
    }
    for (const partition of expired) {
      const { name } = partition
      await record({ operation: 'removeEventMonth', interaction: 'delete', requestId: name })
      await removePartition(db, 'events', partition)
      print(`Removed: ${name}`)
    }
    print(`Removed ${plural(expired.length, 'month')}.`)
  }
}
