import { type Command, parse, plural } from './command.js'
import { type Difference, differencesQuery } from './copies.js'
import { createRecorder } from './recorder.js'

/**
 * `check`: compares the columns that decide who sees orders, lines and devices, and when orders are
 * due, with their sources. Changes nothing. The command fails when there is a difference.
 */
export const checkCopies: Command = (args) => {
  parse(args, {})
  return async (context) => {
    const { record } = await createRecorder(context)
    await record({ operation: 'checkCopies', interaction: 'read' })
    const differences = await context.db.execute<Difference>(differencesQuery)
    for (const { column, count, ids } of differences)
      context.print(`${column}: ${plural(count, 'difference')}: ${ids}`)
    if (differences.length > 0)
      throw new Error(
        'Columns differ from their sources. An organization may see the order of another one. Stop the service and report this output.'
      )
    context.print('0 differences.')
  }
}
