import type { Sql } from 'postgres'

/** The part of a postgres.js client that queries use. */
export type Driver = Pick<Sql, 'unsafe'>

/** Runs a task on a postgres.js client. */
export type Execute = <T>(task: (driver: Driver) => PromiseLike<T>) => Promise<T>

type QueryText = [text: string, parameters?: readonly unknown[]]

/** A row as PostgreSQL sent it: the text of each column as bytes, or null. */
export type RawRow = readonly (Buffer | null)[]

/** A query that is sent when it is awaited, or by `values` or `raw`. Drizzle expects this shape. */
export interface PendingQuery extends PromiseLike<Awaited<ReturnType<Sql['unsafe']>>> {
  values(): Promise<unknown>
  raw(): Promise<readonly RawRow[]>
}

/** Sends queries: the database or a transaction. */
export interface Executor {
  unsafe(...query: QueryText): PendingQuery
}

/** The part of a postgres.js client that Drizzle uses. */
export interface DrizzleClient extends Executor {
  /** Drizzle writes its type parsers here. They are ignored: each connection configures its own. */
  options: { parsers: object; serializers: object }
  begin<T>(run: (tx: Executor) => Promise<T>): Promise<T>
  /** Waits for queries in flight, at most 5 seconds, and closes all connections. */
  end(): Promise<void>
}

/**
 * Every query is a prepared statement, so that PostgreSQL parses and plans its text only once,
 * unless the connection was opened with `prepare: false`.
 */
export function createPendingQuery(execute: Execute, [text, parameters = []]: QueryText): PendingQuery {
  const send = (driver: Driver) => driver.unsafe(text, parameters as never[], { prepare: true })
  return {
    // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, awaiting the query sends it
    then: (done, failed) => execute(send).then(done, failed),
    values: () => execute((driver) => send(driver).values()),
    raw: () => execute((driver) => send(driver).raw())
  }
}
