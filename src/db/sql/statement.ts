import { fillPlaceholders, is, Placeholder, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
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

export type ActiveFilters<F extends object> = { readonly [N in keyof F]?: Placeholder }

/** Runs the query. Filters that are undefined are not active. `values` are always required. */
type DynamicQuery<F extends object, V extends object, R> = (
  db: Queryable,
  filters: F,
  values: V
) => Promise<readonly R[]>

const MAX_CACHED_STATEMENTS = 200

/**
 * A query with optional filters, which is one statement per set of active filters.
 * @param write builds the query with a condition for each active filter and no other condition.
 * @throws Error when it runs, if a condition is missing: the query would return too many rows.
 */
export function dynamicQuery<F extends object, V extends object, R extends object>(
  write: (active: ActiveFilters<F>) => SQL
): DynamicQuery<F, V, R> {
  const statements = new LRUCache<string, Statement<F & V, R>>({ max: MAX_CACHED_STATEMENTS })
  function build(names: readonly string[]): Statement<F & V, R> {
    const active = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as ActiveFilters<F>
    const query = write(active)
    const used = dialect.sqlToQuery(query).params.map((each) => is(each, Placeholder) && each.name)
    const missing = names.filter((name) => !used.includes(name))
    if (missing.length > 0) throw new Error(`The statement has no placeholder for ${missing.join(', ')}.`)
    return statement<F & V, R>(query)
  }
  return async (db, filters, values) => {
    const names = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : name))
    const key = names.join(' ')
    const cached = statements.get(key) ?? build(names)
    statements.set(key, cached)
    return cached(db, { ...filters, ...values })
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
