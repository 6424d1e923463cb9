import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database, Queryable } from '../driver/database.js'
import type { Executor } from '../driver/query.js'

const dialect = new PgDialect()

/** Runs a statement with values for its `sql.placeholder`s. Timestamps come as strings. */
export type Statement<V extends object, R> = (db: Queryable, values: V) => Promise<readonly R[]>

/**
 * A statement whose text is built once. Drizzle builds it on every call, which on hot paths costs
 * more CPU time than the rest of the request.
 * @param options.isRaw return rows as PostgreSQL sends them, to pass them on.
 */
export function statement<V extends object, R>(query: SQL, { isRaw = false } = {}): Statement<V, R> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return async (db, values) => {
    const parameters = fillPlaceholders(params, values as Record<string, unknown>)
    const pending = clientOf(db).unsafe(text, parameters)
    const rows: unknown = await (isRaw ? pending.raw() : pending)
    return rows as R[]
  }
}

/** Runs a query and returns the values of each row, in the order of its columns. */
export async function selectValues(db: Queryable, query: SQL): Promise<unknown[][]> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  // A plain array: `map` of the driver's result would return another driver result.
  return [...((await clientOf(db).unsafe(text, params).values()) as unknown[][])]
}

const clientOf = (db: Queryable): Executor =>
  // Drizzle does not publish the client of a transaction.
  '$client' in db
    ? (db as Database).$client
    : (db as unknown as { session: { client: Executor } }).session.client
