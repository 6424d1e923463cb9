import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Queryable } from '../driver/database.js'
import { type Statement, statement } from './statement.js'

/** A placeholder for each filter that the caller set. */
export type ActiveFilters<F extends object> = { readonly [N in keyof F]?: Placeholder }

/** Runs the query. Filters that are undefined are not active. `values` are always required. */
type DynamicQuery<F extends object, V extends object, R> = (
  db: Queryable,
  filters: F,
  values: V
) => Promise<readonly R[]>

/** Statements cached per dynamic query. */
const MAX_CACHED_STATEMENTS = 200

/**
 * A query with optional filters. Its text is built once per set of active filters. Rows come as
 * PostgreSQL sends them, or as the driver parses them. Conditions that always apply, such as the
 * caller's visibility, are not filters.
 * @param write builds the query with a condition for each active filter and no other.
 * @param options.isRaw see {@link statement}. Default: true.
 * @throws Error when it runs, if the query has no condition for an active filter: it would return
 *   too many rows.
 */
export function dynamicQuery<F extends object, V extends object, R extends object>(
  write: (active: ActiveFilters<F>) => SQL,
  { isRaw = true } = {}
): DynamicQuery<F, V, R> {
  const statements = new LRUCache<string, Statement<F & V, R>>({ max: MAX_CACHED_STATEMENTS })
  function build(names: readonly string[]): Statement<F & V, R> {
    const active = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as ActiveFilters<F>
    return statement<F & V, R>(write(active), { isRaw, requiredValues: names })
  }
  return async (db, filters, values) => {
    let names = ''
    for (const name in filters) if (filters[name] !== undefined) names += ` ${name}`
    let cached = statements.get(names)
    if (!cached) {
      cached = build(names.split(' ').slice(1))
      statements.set(names, cached)
    }
    return cached(db, { ...filters, ...values })
  }
}
