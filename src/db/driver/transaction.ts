import { isOutcomeUnknown } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './errors.js'
import { type Execute, type Executor, preparedQueries } from './query.js'

/**
 * Runs a transaction on a connection that nothing else uses meanwhile. Commits when `run` resolves,
 * rolls back when it rejects. Sends each query after the previous one has settled.
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
  const send = uncommitted(execute)
  await send({ text: 'begin' })
  let isOver = false
  let last: Promise<unknown> = Promise.resolve()
  const unsafe = preparedQueries(async (query) => {
    if (isOver) throw new Error('The transaction is over.')
    const result = last.then(() => send<never>(query))
    last = result.catch(() => {})
    return result
  })
  /** Rejects further queries and waits for the last one. */
  const end = () => {
    isOver = true
    return last
  }
  try {
    const result = await run({ unsafe })
    await end()
    const { command } = await execute<{ command: string }>({ text: 'commit' })
    if (command !== 'COMMIT')
      throw new Error('PostgreSQL rolled back the transaction because a statement in it had failed.')
    return result
  } catch (cause) {
    await end()
    await execute({ text: 'rollback' }).catch(fail)
    throw cause
  }
}

/** PostgreSQL rolls a transaction back whose connection is lost before the commit. */
const uncommitted =
  (execute: Execute): Execute =>
  (query) =>
    execute<never>(query).catch((cause) => {
      throw isOutcomeUnknown(cause) ? new ConnectionLostError('08006', { cause }) : cause
    })
