import { is, Placeholder, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import type { Queryable } from '../driver/database.js'
import { type Statement, statement } from './statement.js'

const dialect = new PgDialect()

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
