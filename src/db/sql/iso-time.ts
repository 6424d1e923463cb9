import { type SQL, sql } from 'drizzle-orm'

/** A time as text, in UTC, as `Date.toISOString` writes it. */
export const isoTime = (time: SQL): SQL =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
