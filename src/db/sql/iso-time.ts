import { type SQL, sql } from 'drizzle-orm'

/** The format of `to_char` for a time in UTC as `Date.toISOString` writes it. */
export const ISO_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

/** A time as text: ISO 8601, in UTC. */
export const isoTime = (time: SQL): SQL => sql`to_char(${time} at time zone 'UTC', '${sql.raw(ISO_FORMAT)}')`
