import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/**
 * The column holds one of these ids. The ids are one parameter, so the statement text stays the
 * same.
 */
export const inIds = (column: PgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${sql.param([...new Set(ids)])}::uuid[])`

/**
 * The folded column matches every pattern of a search. The patterns are one parameter, a text
 * array.
 */
export const likeAll = (column: PgColumn, patterns: Placeholder): SQL =>
  sql`${column} like all(${patterns}::text[])`
