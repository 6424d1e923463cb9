import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import type { Call } from '../platform/auth/call.js'
import { slotOwnerOf } from '../platform/auth/caller.js'
import type { Ports } from '../ports.js'
import type { FeedCursor } from './cursor.js'
import { eventProblem } from './problems.js'
import { type FeedRequest, type LedgerEvent, readWindow } from './read-events.js'

/** Events that the reader may see, and the cursor of the next read. */
interface Batch {
  events: readonly LedgerEvent[]
  next: FeedCursor
  /** Whether no later event is known. */
  isLast: boolean
}

/** Maximum number of statements with which a request searches events that its reader may see. */
const MAX_WINDOWS = 4

/**
 * Checks that a cursor is not after the end of the ledger. A cursor is after the end if the
 * database was restored to an earlier time. The reader would then miss new events that reuse
 * positions.
 * @throws Problem `cursor-too-old`.
 */
export async function assertInLedger(ports: Ports, { position }: FeedCursor): Promise<void> {
  if (position <= ports.horizon.lastSeen()) return
  if (position > (await lastPosition(ports.db))) throw eventProblem('cursor-too-old.restored')
}

/** The last assigned position. Its event may have been removed with its month. */
async function lastPosition(db: Database): Promise<number> {
  const [row] = await db.execute<{ position: string | null }>(
    sql`select pg_sequence_last_value('event_positions') as position`
  )
  return Number(row?.position ?? 0)
}

/**
 * Reads the next events up to the horizon, in {@link MAX_WINDOWS} statements at most.
 * @param isOver whether to read no further.
 */
async function readBatch(
  ports: Ports,
  call: Call,
  request: FeedRequest,
  until: number,
  isOver: () => boolean = () => false
): Promise<Batch> {
  // The cursor is not before the last event.
  const lookedAt = new Date(Math.max(Date.now(), request.after.at.getTime()))
  let cursor = request.after
  for (let windows = 0; windows < MAX_WINDOWS && cursor.position < until; windows++) {
    const window = { ...request, after: cursor }
    const read = async () => (isOver() ? undefined : readWindow(ports, call, window, until))
    const found = await ports.slots.eventReads.run(slotOwnerOf(call.caller), read)
    if (!found) return { events: [], next: cursor, isLast: false }
    const { events, next } = found
    cursor = next ?? { position: until, at: lookedAt }
    if (events.length > 0) return { events, next: cursor, isLast: next === undefined }
  }
  const isLast = cursor.position >= until
  return { events: [], next: isLast ? { position: cursor.position, at: lookedAt } : cursor, isLast }
}

/**
 * Waits for events that the reader may see, or until it has scanned many events that the reader may
 * not see. All waiting readers share one scan of the end of the ledger.
 * @param isOver whether to stop waiting for events.
 */
export async function awaitBatch(
  ports: Ports,
  call: Call,
  request: FeedRequest,
  isOver: () => boolean
): Promise<Batch> {
  const { horizon } = ports
  let batch = await readBatch(ports, call, request, await horizon.complete())
  while (batch.events.length === 0 && batch.isLast && !isOver())
    batch = await readBatch(ports, call, { ...request, after: batch.next }, await horizon.next(), isOver)
  return batch
}
