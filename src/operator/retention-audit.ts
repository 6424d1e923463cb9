import { sql } from 'drizzle-orm'
import { type Command, parseArguments, parseMonths } from './command.js'
import { assertOwner } from './owner.js'
import { removeExpiredMonths } from './partitions.js'

/** `retention audit --months <n> [--confirm]`: removes the months that ended before `n` months. */
export const retainAudit: Command = (args) => {
  const { values, isConfirmed } = parseArguments(args, ['months'])
  const months = parseMonths('months', values.months ?? '')
  return async (context) => {
    await assertOwner(context.db)
    await removeExpiredMonths(context, {
      table: 'audit_events',
      noun: 'records',
      age: sql`make_interval(months => ${months}::int)`,
      previewAs: 'previewAuditRetention',
      removeAs: 'removeAuditMonth',
      isConfirmed
    })
  }
}
