import { fillPlaceholders, is, Placeholder, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database } from '../driver/database.js'

const dialect = new PgDialect()

/** Runs a statement with values for its `sql.placeholder`s; rows come as the driver reads them, moments as texts, unless they are wanted raw. */
export type Statement<V extends object, R> = (db: Database, values: V) => Promise<readonly R[]>

interface StatementOptions {
  /** Whether its rows are wanted as PostgreSQL sends them: what is only passed on is not decoded. */
  isRaw?: boolean
  /** Names of the values without which it would mean something else. */
  needs?: readonly string[]
}

/**
 * A statement whose text is made once, where Drizzle would make it anew for each call: on the hottest paths that takes longer than
 * anything else that a request needs of this process.
 * @throws Error where it has no placeholder for a value that it needs.
 */
export function statement<V extends object, R>(
  query: SQL,
  { isRaw = false, needs = [] }: StatementOptions = {}
): Statement<V, R> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  const names = new Set(params.map((parameter) => is(parameter, Placeholder) && parameter.name))
  const missing = needs.filter((name) => !names.has(name))
  if (missing.length > 0) throw new Error(`The statement has no place for ${missing.join(', ')}: ${text}`)
  return async (db, values) => {
    const parameters = fillPlaceholders(params, values as Record<string, unknown>)
    const sent = db.$client.unsafe(text, parameters)
    const rows: unknown = await (isRaw ? sent.raw() : sent)
    return rows as R[]
  }
}
