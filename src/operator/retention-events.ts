import { sql } from 'drizzle-orm'
import { type Command, parseArguments } from './command.js'
import { assertOwner } from './owner.js'
import { removeExpiredMonths } from './partitions.js'

/**
 * `retention events [--confirm]`: removes the months of events before the one of EVENTS_KEPT days
 * ago. No cursor that is still valid leads there.
 */
export const retainEvents: Command = (args) => {
  const { isConfirmed } = parseArguments(args)
  return async (context) => {
    await assertOwner(context.db)
    await removeExpiredMonths(context, {
      table: 'events',
      noun: 'events',
      age: sql`make_interval(days => ${context.eventsKeptDays}::int)`,
      previewAs: 'previewEventRetention',
      removeAs: 'removeEventMonth',
      isConfirmed
    })
  }
}
