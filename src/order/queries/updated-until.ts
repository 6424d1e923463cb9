import { sql } from 'drizzle-orm'
import { isoTime } from '../../db/sql/iso-time.js'
import { statement } from '../../db/sql/statement.js'
import { unfinishedCommits } from '../../db/unfinished-commits.js'
import type { Ports } from '../../ports.js'
import { ERASURE_LOCK } from '../store/time-of-change.js'

/** Clocks of the nodes of a distributed database, which give changes their time, differ by less. */
const MAX_SKEW_MS = 1000

const milliseconds = (name: string) => sql`${sql.placeholder(name)}::float8 * interval '1 ms'`

/**
 * The bound is the start of the oldest transaction that runs, this one included, in milliseconds
 * rounded down. PostgreSQL shows a role its own transactions, and all instances have one role. A
 * transaction that has written nothing after its time limit only reads.
 */
const bound = statement<{ maxMs: number; skewMs: number }, { until: string | null }>(sql`
  select ${isoTime(sql`date_trunc('milliseconds', min(xact_start) - ${milliseconds('skewMs')})`)} as until
  from pg_stat_activity
  where datname = current_database()
    and (backend_xid is not null or xact_start > now() - ${milliseconds('maxMs')})
    and (select pg_try_advisory_xact_lock_shared(${sql.raw(String(ERASURE_LOCK))}))`)

/**
 * Finds a time before which no change of an order can still appear: a change gets its time within
 * its transaction, by the clock of the database, and appears when that commits. Call it before the
 * orders are read. Undefined while a patient is erased, by a role whose transactions are not shown,
 * and while a worker of a distributed database has not yet committed what the coordinator has.
 */
export async function findUpdatedUntil(ports: Ports): Promise<string | undefined> {
  const { db, limits, isDistributed } = ports
  const [row] = await bound(db, { maxMs: 2 * limits.requestTimeout, skewMs: isDistributed ? MAX_SKEW_MS : 0 })
  // Asked after the transactions: one that does not run has ended on the coordinator.
  if (isDistributed && (await unfinishedCommits(ports)()).length > 0) return undefined
  return row?.until ?? undefined
}
