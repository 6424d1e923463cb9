import type { EventApi } from '../ledger/event-types.js'
import { queryProblem } from '../platform/errors/query-problem.js'
import type { Cursors } from '../platform/rest/cursors.js'
import { eventProblem } from './problems.js'
import { eventTexts } from './texts.js'

/**
 * A position in the ledger: the position and time of an event, or the end at the moment `at`.
 * Events of changes that were in progress at that moment follow later, and may be older.
 */
export interface FeedCursor {
  position: number
  at: Date
}

/** The first moment of the month of `days` days ago. Older events may have been removed. */
export function retentionStart(days: number, now = new Date()): Date {
  const day = new Date(now.getTime() - days * 86_400_000)
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth()))
}

/**
 * @param api the API of the feed, whose cursors are valid only there. Its URL is not used, because
 * clients keep cursors for months and the public address may change meanwhile.
 */
export const sealCursor = (cursors: Cursors, api: EventApi, { position, at }: FeedCursor): string =>
  cursors.seal({ feed: api, position, at: at.getTime() })

/**
 * Opens a cursor of a feed.
 * @throws Problem `invalid-query`, `cursor-too-old`.
 */
export function openCursor(cursors: Cursors, api: EventApi, cursor: string, since: Date): FeedCursor {
  const { feed, position, at } = cursors.open(cursor) as { feed?: string; position?: number; at?: number }
  if (feed !== api || position === undefined || at === undefined)
    throw queryProblem('after', eventTexts.otherCursor)
  if (at < since.getTime())
    throw eventProblem('cursor-too-old.expired', null, { day: since.toISOString().slice(0, 10) })
  return { position, at: new Date(at) }
}
