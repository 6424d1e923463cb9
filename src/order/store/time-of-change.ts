import { type SQL, sql } from 'drizzle-orm'

/*
 * Polls for changes rely on `changed_at`: no transaction has changes from before it began, by the
 * clock of the database.
 */

/** The value of `changed_at` for a change: now, but not before the time that its trace states. */
export const timeOfChange = (stated: SQL, now = sql`clock_timestamp()`): SQL =>
  sql`greatest(${stated}, ${now})`
