import { sql } from 'drizzle-orm'
import { isoTime } from '../../db/sql/json-row.js'
import { statement } from '../../db/sql/statement.js'
import type { Ports } from '../../ports.js'

/** PostgreSQL shows a role its own transactions, and all instances have one role. */
const bound = statement<{ maxMs: number }, { until: string }>(sql`
  select ${isoTime(sql`date_trunc('milliseconds', least(
    now() - ${sql.placeholder('maxMs')}::float8 * interval '1 ms',
    (select min(xact_start) from pg_stat_activity where datname = current_database() and backend_xid is not null)))`)}
    as until`)

/**
 * Finds a time before which no change of an order can still appear: a change gets its time within
 * its transaction, by the clock of the database, and appears when that commits, which takes no
 * longer than twice the time limit of a request, or is seen to run. Call it before the orders are
 * read.
 */
export async function findUpdatedUntil(ports: Ports): Promise<string | undefined> {
  const [row] = await bound(ports.db, { maxMs: 2 * ports.limits.requestTimeout })
  return row?.until
}
