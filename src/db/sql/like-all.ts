import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** The condition that a folded column holds every word of a search. One parameter, however many they are. */
export const likeAll = (column: PgColumn, patterns: Placeholder): SQL =>
  sql`${column} like all(${patterns}::text[])`
