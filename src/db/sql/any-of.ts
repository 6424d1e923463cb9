import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** The condition that a column holds one of these ids, with one parameter however many they are. */
export const inIds = (column: PgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${sql.param([...new Set(ids)])}::uuid[])`
