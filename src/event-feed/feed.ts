import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { unfinishedCommits } from '../db/unfinished-commits.js'
import type { Actor } from '../platform/auth/actor.js'
import { createSemaphore } from '../platform/concurrency/semaphore.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import type { FeedCursor } from './cursor.js'
import { createHorizon } from './horizon.js'
import { eventProblem } from './problems.js'
import { type LedgerEvent, readWindow } from './read-events.js'

/** What a reader asks for. */
export interface FeedRequest {
  after: FeedCursor
  since: Date
  types: readonly string[]
  limit: number
  /** Whether the reader waits for events, rather than asks for those that are there. */
  isWaiting?: boolean
}

/** Events that the reader may see, and the cursor to go on from. */
export interface Batch {
  events: readonly LedgerEvent[]
  next: FeedCursor
  /** Whether nothing is known that follows. */
  isLast: boolean
}

/** Milliseconds for which a request goes on to look at events that its reader may not see. */
const MAX_SCAN_MS = 1000

/** The horizon of the ledger, one for each server. */
export const ledgerHorizon = memoizePerApp((ports: Pick<Ports, 'db' | 'isDistributed' | 'resourceUrls'>) =>
  createHorizon(ports.db, ports.isDistributed ? unfinishedCommits(ports) : undefined)
)

/**
 * Checks that a cursor is not after the end of the ledger. It is when the database was restored to
 * an earlier time: events that have its position again would be left out.
 * @throws Problem `cursor-too-old`.
 */
export async function assertInLedger(
  ports: Pick<Ports, 'db' | 'isDistributed' | 'resourceUrls'>,
  { position }: FeedCursor
): Promise<void> {
  if (position <= ledgerHorizon(ports).lastSeen()) return
  if (position > (await lastPosition(ports.db)))
    throw eventProblem(
      'cursor-too-old',
      'The database was restored to a time before this cursor. Read the resources again, and the events without after.'
    )
}

/** The last position that was taken. Its event may have been removed with its month since. */
async function lastPosition(db: Database): Promise<number> {
  const [row] = await db.execute<{ position: string | null }>(
    sql`select pg_sequence_last_value('event_positions') as position`
  )
  return Number(row?.position ?? 0)
}

/**
 * What is new is read by each waiting reader, judged by its rights. There may be a thousand: they
 * read two at a time, with a rest as long as the read, and leave the connections to other requests.
 */
const waitingReads = memoizePerApp(() =>
  createSemaphore({
    permits: 2,
    maxQueue: Number.POSITIVE_INFINITY,
    restMs: (heldMs) => Math.min(heldMs, 100)
  })
)

/** Reads the next events up to the horizon. */
export async function readBatch(
  ports: Pick<Ports, 'db' | 'isDistributed' | 'resourceUrls'>,
  actor: Actor,
  { after, since, types, limit, isWaiting = false }: FeedRequest,
  horizon: Promise<number> = ledgerHorizon(ports).complete()
): Promise<Batch> {
  const end = performance.now() + MAX_SCAN_MS
  // Not before the last event.
  const lookedAt = new Date(Math.max(Date.now(), after.at.getTime()))
  const until = await horizon
  let cursor = after
  for (;;) {
    const window = { after: cursor.position, until, since, types, limit }
    const read = () => readWindow(ports, actor, window)
    const { events, last } = await (isWaiting ? waitingReads(ports).run(undefined, read) : read())
    cursor = last
      ? { position: last.position, at: last.time }
      : { position: Math.max(cursor.position, until), at: lookedAt }
    const isLast = last === null
    if (events.length > 0 || isLast || performance.now() > end) return { events, next: cursor, isLast }
  }
}

/**
 * Waits for events that the reader may see. All waiting readers share one look at the end of the
 * ledger.
 * @param isOver whether to stop waiting for events.
 */
export async function awaitBatch(
  ports: Pick<Ports, 'db' | 'isDistributed' | 'resourceUrls'>,
  actor: Actor,
  request: FeedRequest,
  isOver: () => boolean
): Promise<Batch> {
  let batch = await readBatch(ports, actor, request)
  while (batch.events.length === 0 && !isOver()) {
    const horizon = batch.isLast ? ledgerHorizon(ports).next() : ledgerHorizon(ports).look()
    batch = await readBatch(ports, actor, { ...request, after: batch.next, isWaiting: true }, horizon)
  }
  return batch
}
