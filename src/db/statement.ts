import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database } from './connection.js'
import type { RawRow } from './pending.js'

const dialect = new PgDialect()

/** Runs a statement with values for its `sql.placeholder`s; rows come as the driver reads them, moments as texts, unless they are wanted raw. */
type Statement<V extends object, R> = (db: Database, values: V) => Promise<readonly R[]>

interface StatementOptions {
  /** Whether its rows are wanted as PostgreSQL sends them. */
  isRaw?: boolean
}

/**
 * A statement whose text is made once, where Drizzle would make it anew for each call: on the hottest paths that takes longer than
 * anything else that a request needs of this process.
 */
export function statement<V extends object, R>(
  query: SQL,
  { isRaw = false }: StatementOptions = {}
): Statement<V, R> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return async (db, values) => {
    const parameters = fillPlaceholders(params, values as Record<string, unknown>)
    const sent = db.$client.unsafe(text, parameters)
    const rows: unknown = await (isRaw ? sent.raw() : sent)
    return rows as R[]
  }
}

/** Runs a query and answers its rows as PostgreSQL sends them: what is only passed on is not decoded. */
export async function rawRows<R extends RawRow>(db: Database, query: SQL): Promise<readonly R[]> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  const rows: unknown = await db.$client.unsafe(text, params).raw()
  return rows as R[]
}
