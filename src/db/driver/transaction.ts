import { isOutcomeUnknown } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './connection-lost.js'
import { createPendingQuery, type Execute, type Executor } from './query.js'

/**
 * Runs a transaction on a connection that nothing else uses meanwhile. Commits when `run` resolves,
 * rolls back when it rejects.
 * @param fail closes the connection; called when the rollback fails and its state is unknown.
 * @throws the error of `run`; Error if a statement failed and `run` resolved all the same;
 *   ConnectionLostError 08007 if the commit was sent and got no response, 08006 if the connection
 *   was lost before.
 */
export async function inTransaction<T>(
  execute: Execute,
  run: (tx: Executor) => Promise<T>,
  fail: () => void
): Promise<T> {
  const executeUncommitted = uncommitted(execute)
  await executeUncommitted((driver) => driver.unsafe('begin'))
  const queries = serialized(executeUncommitted)
  try {
    const result = await run({ unsafe: (...query) => createPendingQuery(queries.execute, query) })
    await queries.end()
    const { command } = await execute((driver) => driver.unsafe('commit'))
    if (command !== 'COMMIT')
      throw new Error('PostgreSQL rolled back the transaction because a statement in it had failed.')
    return result
  } catch (cause) {
    await queries.end()
    await execute((driver) => driver.unsafe('rollback')).catch(fail)
    throw cause
  }
}

/** A connection lost before the commit leaves no doubt: PostgreSQL rolls the transaction back. */
const uncommitted =
  (execute: Execute): Execute =>
  (task) =>
    execute(task).catch((cause) => {
      throw isOutcomeUnknown(cause) ? new ConnectionLostError('08006', { cause }) : cause
    })

/** Serializes queries: each is sent after the previous one has settled. */
function serialized(execute: Execute): { execute: Execute; end(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve()
  let isEnded = false
  return {
    async execute(task) {
      if (isEnded) throw new Error('The transaction is over.')
      const result = last.then(() => execute(task))
      last = result.catch(() => {})
      return result
    },
    /** Rejects further queries and waits for the last one. */
    async end() {
      isEnded = true
      await last
    }
  }
}
