import { type SQL, sql } from 'drizzle-orm'

/*
 * Polls for changes rely on `changed_at`: no transaction has changes from before it began, by the
 * clock of the database.
 */

/** The value of `changed_at` for a change: now, but not before the time that its trace states. */
export const timeOfChange = (stated: SQL): SQL => sql`greatest(${stated}, clock_timestamp())`

/**
 * Key of an advisory lock that the erasure of a patient holds from before its {@link timeOfChange}
 * until it commits. Its role may be another one than that of the instances, whose transactions
 * PostgreSQL does not show them.
 */
export const ERASURE_LOCK = 7_236_415
