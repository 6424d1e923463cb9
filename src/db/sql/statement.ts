import { fillPlaceholders, is, Placeholder, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database, Queryable } from '../driver/database.js'
import type { Executor } from '../driver/query.js'

const dialect = new PgDialect()

/**
 * Runs a statement with values for its `sql.placeholder`s. Rows come as the driver parses them,
 * with timestamps as strings, or as PostgreSQL sends them if the statement is raw.
 */
export type Statement<V extends object, R> = (db: Queryable, values: V) => Promise<readonly R[]>

interface StatementOptions {
  /** Return rows as PostgreSQL sends them: values that are only passed on need no decoding. */
  isRaw?: boolean
  /** Names of values that must have a placeholder in the statement. */
  requiredValues?: readonly string[]
}

/**
 * A statement whose text is built once. Drizzle builds it on every call, which on hot paths costs
 * more CPU time than the rest of the request.
 * @throws Error if a required value has no placeholder.
 */
export function statement<V extends object, R>(
  query: SQL,
  { isRaw = false, requiredValues = [] }: StatementOptions = {}
): Statement<V, R> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  const names = new Set(params.map((parameter) => is(parameter, Placeholder) && parameter.name))
  const missing = requiredValues.filter((name) => !names.has(name))
  if (missing.length > 0)
    throw new Error(`The statement has no placeholder for ${missing.join(', ')}: ${text}`)
  return async (db, values) => {
    const parameters = fillPlaceholders(params, values as Record<string, unknown>)
    const pending = clientOf(db).unsafe(text, parameters)
    const rows: unknown = await (isRaw ? pending.raw() : pending)
    return rows as R[]
  }
}

/** The client that runs the queries of a database or of a transaction. */
const clientOf = (db: Queryable): Pick<Executor, 'unsafe'> =>
  // Drizzle does not publish the client of a transaction.
  '$client' in db
    ? (db as Database).$client
    : (db as unknown as { session: { client: Executor } }).session.client
