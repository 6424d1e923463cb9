import { sql } from 'drizzle-orm'
import type { EventRow } from '../ledger/tables.js'
import { findRelatedLines, type RelatedLine } from '../order/lookup.js'
import { orderRead } from '../order/routes/order.access.js'
import type { Call } from '../platform/auth/call.js'
import { scopeOf } from '../platform/auth/scope.js'
import type { Ports } from '../ports.js'
import type { FeedCursor } from './cursor.js'
import { eventVisibleTo } from './families.js'

export type LedgerEvent = EventRow & {
  position: number
  /**
   * For a changed status of a line: the line that delivered the device that the line is about. Null
   * if there is no such line, or the reader does not see it.
   */
  relatedTo?: RelatedLine | null
}

export interface FeedRequest {
  after: FeedCursor
  /** Events of earlier months are left out. */
  since: Date
  types: readonly string[]
  limit: number
}

/** Maximum rows of the ledger that one statement scans. */
const MAX_WINDOW_ROWS = 5000

/**
 * Reads the next events that the caller may see now. Scans at most {@link MAX_WINDOW_ROWS} rows,
 * and stops after `limit` visible events.
 * @param until the last position to scan: the horizon.
 * @returns `next`, the cursor after the scanned events; undefined at the horizon.
 */
export async function readWindow(
  ports: Ports,
  call: Call,
  { after, since, types, limit }: FeedRequest,
  until: number
) {
  const rows = sql`from events where position > ${after.position}::bigint and position <= ${until}::bigint
    and time >= ${since.toISOString()}::timestamptz order by position`
  const [row] = await ports.db.execute<{
    last: { position: number; time: string } | null
    events: (Omit<LedgerEvent, 'time'> & { time: string })[]
  }>(sql`
    with looked_at as (
      select * ${rows} limit ${MAX_WINDOW_ROWS}
    ), visible as materialized (
      select position, time, id, type, change, subject_id as "subjectId", owner_id as "ownerId", sequence,
        old_status as "oldStatus", new_status as "newStatus", is_of_draft as "isOfDraft", traceparent
      from looked_at e where ${eventVisibleTo(ports, call, types)} order by position limit ${limit}
    )
    select (select coalesce(json_agg(visible order by position), '[]') from visible) as events,
      case when (select count(*) from visible) < ${limit} then (
        select json_build_object('position', position, 'time', time) ${rows} offset ${MAX_WINDOW_ROWS - 1} limit 1
      ) end as last`)
  const found = (row?.events ?? []).map((event) => ({ ...event, time: new Date(event.time) }))
  const events = await withRelatedLines(ports, call, found)
  const lastVisible = events.at(-1)
  const last = events.length === limit ? lastVisible : row?.last
  return { events, next: last ? { position: last.position, at: new Date(last.time) } : undefined }
}

/** Adds the related lines to events of lines whose status changed. */
async function withRelatedLines(
  ports: Ports,
  call: Call,
  events: readonly LedgerEvent[]
): Promise<LedgerEvent[]> {
  const isAboutLine = ({ type }: LedgerEvent) => type === 'order-line.status-changed'
  const lines = events
    .filter(isAboutLine)
    .map(({ ownerId, subjectId }) => ({ order: ownerId, id: subjectId }))
  // A reader without lines may have no access to orders.
  if (lines.length === 0) return [...events]
  const related = await findRelatedLines(ports, { ...call, scope: scopeOf(call.caller, orderRead) }, lines)
  return events.map((event) =>
    isAboutLine(event) ? { ...event, relatedTo: related.get(event.subjectId) ?? null } : event
  )
}
