import type { Sql } from 'postgres'

/** A statement to send. */
export interface Query {
  text: string
  parameters?: readonly unknown[]
  /** How rows are returned: as objects, as arrays of values, or as {@link RawRow}. */
  form?: 'objects' | 'values' | 'raw'
  /**
   * Whether PostgreSQL keeps the parsed text and its plan for the connection. Default: false. Never
   * on a connection that was opened with `prepare: false`.
   */
  isPrepared?: boolean
}

/** Sends a query and returns its rows. */
export type Execute = <R>(query: Query) => Promise<R>

/**
 * Called when a query has ended.
 * @param start when it was sent, by `performance.now()`.
 * @param cause the error of the query if it failed.
 */
export type QueryObserver = (start: number, cause?: Error) => void

/** A row as PostgreSQL sent it: the text of each column as bytes, or null. */
export type RawRow = readonly (Buffer | null)[]

type Rows = Awaited<ReturnType<Sql['unsafe']>>

/** A query that is sent when it is awaited, or by `values` or `raw`. Drizzle expects this shape. */
export interface PendingQuery extends PromiseLike<Rows> {
  values(): Promise<unknown>
  raw(): Promise<readonly RawRow[]>
}

/** Sends queries: the database or a transaction. */
export interface Executor {
  unsafe(text: string, parameters?: readonly unknown[]): PendingQuery
}

/** The part of a postgres.js client that Drizzle uses. */
export interface DrizzleClient extends Executor {
  /** Drizzle writes its type parsers here. They are ignored: each connection configures its own. */
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
