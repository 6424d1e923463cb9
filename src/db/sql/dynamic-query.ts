import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../driver/database.js'
import type { RawRow } from '../driver/query.js'
import { type Statement, statement } from './statement.js'

/** A placeholder for each filter that was given. */
export type ActiveFilters<F extends object> = { readonly [N in keyof F]?: Placeholder }

/** Runs it with the filters that were given, the others undefined, and the values that it always has. */
type Filtered<F extends object, V extends object, R> = (
  db: Database,
  filters: F,
  values: V
) => Promise<readonly R[]>

/** Texts that are kept of it. */
const most = 200

/**
 * A statement over what callers filter, whose text is made once for each set of filters that is given; rows come as PostgreSQL
 * sends them. What always holds, such as the caller's reach, is no filter.
 * @param write writes it with the conditions of the filters that were given, and of no others
 * @throws Error where it has no condition for a filter that was given: it would answer what was not asked for.
 */
export function dynamicQuery<F extends object, V extends object, R extends RawRow>(
  write: (given: ActiveFilters<F>) => SQL
): Filtered<F, V, R> {
  const statements = new LRUCache<string, Statement<F & V, R>>({ max: most })
  function writtenFor(names: readonly string[]): Statement<F & V, R> {
    const given = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as ActiveFilters<F>
    return statement<F & V, R>(write(given), { isRaw: true, needs: names })
  }
  return async (db, filters, values) => {
    let names = ''
    for (const name in filters) if (filters[name] !== undefined) names += ` ${name}`
    let known = statements.get(names)
    if (!known) {
      known = writtenFor(names.split(' ').slice(1))
      statements.set(names, known)
    }
    return known(db, { ...filters, ...values })
  }
}
