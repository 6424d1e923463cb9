import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Database } from './driver/database.js'

/**
 * Finds transactions that the coordinator of a distributed database has committed, and a worker
 * has not: what they wrote there is still invisible. Workers commit a moment later, or, after a
 * failure, when the coordinator finishes it. Includes what was committed before the call. All
 * transactions of a worker that does not respond may be unfinished.
 * @returns their global ids in `pg_prepared_xacts` of the workers.
 */
export type FindUnfinishedCommits = () => Promise<readonly string[]>

/** Times that workers are asked, and milliseconds between. A commit in progress takes less. */
const MAX_ASKS = 3
const ASK_INTERVAL_MS = 10

interface CommitPorts {
  db: Database
  isDistributed: boolean
  /** Belongs to the server. */
  resourceUrls: object
}

interface Commit {
  gid: string
  group: number
}

/**
 * One for each server. It asks the workers only if something has been committed since. One
 * PostgreSQL has none.
 */
export const unfinishedCommits = memoizePerApp(
  ({ db, isDistributed }: CommitPorts): FindUnfinishedCommits => {
    if (!isDistributed) return async () => []
    let finished: ReadonlySet<string> = new Set()
    return async () => {
      // Citus writes these rows with each commit, and deletes them some time after it has finished.
      const recorded: readonly Commit[] = await db.execute<{ gid: string; group: number }>(
        sql`select gid, groupid as "group" from pg_dist_transaction`
      )
      let unfinished = recorded.filter(({ gid }) => !finished.has(gid))
      for (let asks = 0; unfinished.length > 0 && asks < MAX_ASKS; asks++) {
        if (asks > 0) await pause(ASK_INTERVAL_MS)
        const prepared = await findPrepared(db)
        unfinished = unfinished.filter(({ gid, group }) => prepared.get(group)?.has(gid) ?? true)
      }
      const open = new Set(unfinished.map(({ gid }) => gid))
      finished = new Set(recorded.map(({ gid }) => gid).filter((gid) => !open.has(gid)))
      return [...open]
    }
  }
)

/** The global ids of prepared transactions of each worker that responds. */
async function findPrepared(db: Database): Promise<Map<number, Set<string>>> {
  const workers = await db.execute<{ group: number; gids: string }>(sql`
    select groupid as "group", result as gids
    from run_command_on_workers('select coalesce(json_agg(gid), ''[]'') from pg_prepared_xacts') r
    join pg_dist_node n on n.nodename = r.nodename and n.nodeport = r.nodeport where r.success`)
  return new Map(workers.map(({ group, gids }) => [group, new Set(JSON.parse(gids))]))
}
