import { and, eq, gt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import type { Call } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import {
  emptyPage,
  inOrderOf,
  type Page,
  type PageRequest,
  serializedPage
} from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import type { FilterPorts, FilterValues } from './filter.js'

interface Selection<R> extends PromiseLike<R[]> {
  orderBy(column: PgColumn): { limit(count: number): PromiseLike<R[]> }
}

interface ListFilters<P, G, V> {
  parse(ports: P, given: G): V | undefined
  where(values: FilterValues<V>): SQL | undefined
}

/** The rows of a resource and how the caller reads them. */
interface Rows<P, R, G, V, T> {
  id: PgColumn
  select(db: Queryable, where: SQL | undefined): Selection<R>
  /** SQL condition: the caller may see the row; undefined if it may see all. */
  visibleTo?(ports: P, call: Call): SQL | undefined
  filters: ListFilters<P, G, V>
  toResource(ports: P, call: Call, row: R): T
}

/** Reads a resource by id, and lists it in order of creation. */
export const rowQueries = <
  P extends FilterPorts & { db: Queryable },
  R extends { id: string },
  G extends object,
  V,
  T
>({
  id,
  select,
  visibleTo = () => undefined,
  filters,
  toResource
}: Rows<P, R, G, V, T>) => ({
  /** @throws Problem `not-found`. */
  async view(ports: P, call: Call, wanted: string): Promise<Versioned<T>> {
    const [row] = await select(ports.db, and(eq(id, wanted), visibleTo(ports, call)))
    if (!row) throw problem('not-found')
    return new Versioned(toResource(ports, call, row), revisionOf(row))
  },

  /**
   * Reads resources in the order of their ids.
   * @throws Problem `not-found` when one does not exist.
   */
  async viewAll(ports: P, call: Call, ids: readonly string[]): Promise<T[]> {
    const rows = await select(ports.db, and(inIds(id, ids), visibleTo(ports, call)))
    return inOrderOf(ids, rows, () => problem('not-found')).map((row) => toResource(ports, call, row))
  },

  /** @throws Problem `invalid-query`. */
  async list(ports: P, call: Call, given: G, request: PageRequest<string>): Promise<Page<string>> {
    const { limit, after } = request
    const values = filters.parse(ports, given)
    if (!values) return emptyPage
    const where = and(visibleTo(ports, call), filters.where(values), after ? gt(id, after) : undefined)
    const rows = await select(ports.db, where)
      .orderBy(id)
      .limit(limit + 1)
    return serializedPage(
      rows,
      request,
      (row) => row.id,
      (row) => JSON.stringify(toResource(ports, call, row))
    )
  }
})
