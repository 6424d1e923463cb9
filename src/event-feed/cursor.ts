import { problem } from '../platform/errors/problem.js'
import type { Cursors } from '../platform/rest/cursors.js'
import { eventProblem } from './problems.js'

/**
 * A place in the ledger: that of an event and its time, or the end at the moment `at`. Events of
 * changes that were still being written then come later, and may be older.
 */
export interface Place {
  position: number
  at: Date
}

/** The first moment of the month of `days` days ago: what is older may have been removed. */
export function keptSince(days: number, now = new Date()): Date {
  const day = new Date(now.getTime() - days * 86_400_000)
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth()))
}

/** @param url of the feed, which no other feed shares its cursors with. */
export const sealPlace = (cursors: Cursors, url: string, { position, at }: Place): string =>
  cursors.seal({ feed: url, position, at: at.getTime() })

/**
 * Opens a cursor of a feed.
 * @throws Problem `invalid-query`, `cursor-too-old`.
 */
export function openPlace(cursors: Cursors, url: string, cursor: string, since: Date): Place {
  const { feed, position, at } = cursors.open(cursor) as { feed?: string; position?: number; at?: number }
  if (feed !== url || position === undefined || at === undefined)
    throw problem(
      'invalid-query',
      'This cursor belongs to another list. Take it from a Link of these events.'
    )
  if (at < since.getTime())
    throw eventProblem(
      'cursor-too-old',
      `Events before ${since.toISOString().slice(0, 10)} are no longer kept. Read the resources again, and the events without after.`
    )
  return { position, at: new Date(at) }
}
