import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { searchPatterns } from '../platform/search-text.js'

/** The condition that a folded column holds every word of a search; none without words. One parameter, however many they are. */
export function matches(column: PgColumn, query: string | undefined): SQL | undefined {
  const patterns = searchPatterns(query ?? '')
  return patterns.length === 0 ? undefined : sql`${column} like all(${sql.param(patterns)}::text[])`
}
