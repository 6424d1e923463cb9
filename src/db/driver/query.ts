import type { Sql } from 'postgres'
import { isOutcomeUnknown } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './errors.js'

export interface Query {
  text: string
  parameters?: readonly unknown[]
  /** The form of returned rows: objects, arrays of values, or {@link RawRow}. */
  form?: 'objects' | 'values' | 'raw'
  /** Whether PostgreSQL keeps the parsed text and its plan, unless the connection forbids it. */
  isPrepared?: boolean
}

export type Execute = <R>(query: Query) => Promise<R>

/**
 * Called when a query has ended.
 * @param text of the statement, with placeholders.
 * @param start when it was sent, by `performance.now()`.
 * @param cause the error of the query if it failed.
 */
export type QueryObserver = (text: string, start: number, cause?: Error) => void

/** A row as PostgreSQL sent it: the text of each column as bytes, or null. */
export type RawRow = readonly (Buffer | null)[]

type Rows = Awaited<ReturnType<Sql['unsafe']>>

/** A query that is sent when it is awaited, or by `values` or `raw`, as Drizzle expects. */
export interface PendingQuery extends PromiseLike<Rows> {
  values(): Promise<unknown>
  raw(): Promise<readonly RawRow[]>
}

export interface Executor {
  unsafe(text: string, parameters?: readonly unknown[]): PendingQuery
}

/** The part of a postgres.js client that Drizzle uses. */
export interface DrizzleClient extends Executor {
  /**
   * Drizzle writes its type parsers here. These parsers are ignored, because each connection
   * configures its own parsers.
   */
  options: { parsers: object; serializers: object }
  begin<T>(run: (tx: Executor) => Promise<T>): Promise<T>
  /** Waits for queries in flight, at most 5 seconds, and closes all connections. */
  end(): Promise<void>
}

/** Creates the `unsafe` of an executor. Each of its queries is a prepared statement. */
export const preparedQueries =
  (execute: Execute): Executor['unsafe'] =>
  (text, parameters = []) => {
    const send = <R>(form: 'objects' | 'values' | 'raw') =>
      execute<R>({ text, parameters, form, isPrepared: true })
    return {
      // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, awaiting the query sends it
      then: (done, failed) => send<Rows>('objects').then(done, failed),
      values: () => send('values'),
      raw: () => send('raw')
    }
  }

/**
 * Runs a transaction on a connection that no other work uses meanwhile, one query at a time.
 * @param fail closes the connection; called when the rollback fails and its state is unknown.
 * @throws Error also if a statement failed and `run` resolved; ConnectionLostError 08007 if the
 *   outcome of the commit is unknown, 08006 if the connection was lost before.
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
