import { isOutcomeUnknown } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './connection-lost.js'
import { type Ask, createQuery, type Sender } from './query.js'

/**
 * Runs a transaction over a connection that it has to itself: committed when the work is done, rolled back when it fails.
 * @param giveUp ends the connection: it is unknown what state it is in.
 * @throws whatever the work throws; an error, where one of its statements had failed and the work went on all the same;
 *   ConnectionLostError 08007 when the commit was sent and not answered, 08006 when the connection was lost before it was sent.
 */
export async function inTransaction<T>(
  ask: Ask,
  run: (tx: Sender) => Promise<T>,
  giveUp: () => void
): Promise<T> {
  const send = uncommitted(ask)
  await send((client) => client.unsafe('begin'))
  const line = inLine(send)
  try {
    const result = await run({ unsafe: (...text) => createQuery(line.ask, text) })
    await line.end()
    const { command } = await ask((client) => client.unsafe('commit'))
    if (command !== 'COMMIT')
      throw new Error('PostgreSQL rolled back: a statement of the transaction had failed.')
    return result
  } catch (cause) {
    await line.end()
    await ask((client) => client.unsafe('rollback')).catch(giveUp)
    throw cause
  }
}

/** Before the commit is sent a lost connection leaves nothing unknown: PostgreSQL rolls the transaction back. */
const uncommitted =
  (ask: Ask): Ask =>
  (work) =>
    ask(work).catch((cause) => {
      throw isOutcomeUnknown(cause) ? new ConnectionLostError('08006', { cause }) : cause
    })

/** Statements one after the other: none is with the driver before those ahead of it are answered. */
function inLine(ask: Ask): { ask: Ask; end(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve()
  let isEnded = false
  return {
    async ask(work) {
      if (isEnded) throw new Error('The transaction is over.')
      const turn = last.then(() => ask(work))
      last = turn.catch(() => {})
      return turn
    },
    /** Waits for the last of them; there are no more. */
    async end() {
      isEnded = true
      await last
    }
  }
}
