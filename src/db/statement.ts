import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database } from './connection.js'

const dialect = new PgDialect()

/** Runs a statement with values for its `sql.placeholder`s; rows come as the driver reads them, moments as texts. */
export type Statement<V extends object, R> = (db: Database, values: V) => Promise<readonly R[]>

/**
 * A statement whose text is made once, where Drizzle would make it anew for each call: on the hottest paths that takes longer than
 * anything else that a request needs of this process.
 * @param isBrief whether it only reads a few rows by their keys.
 */
export function statement<V extends object, R>(
  query: SQL,
  { isBrief = false }: { isBrief?: boolean } = {}
): Statement<V, R> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return async (db, values) => {
    const parameters = fillPlaceholders(params, values as Record<string, unknown>)
    const rows: unknown = await db.$client[isBrief ? 'brief' : 'unsafe'](text, parameters)
    return rows as R[]
  }
}
