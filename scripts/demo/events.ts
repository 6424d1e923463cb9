import { type CloudEvent, idOf, type SslClient } from '../../clients/typescript/src/index.js'
import { printLine } from './print.js'

/**
 * Plays a story while a consumer for each user prints the events that the user sees, from the first
 * one to the last.
 * @returns the result of the story.
 */
export async function printEventsOf<T>(users: readonly SslClient[], play: () => Promise<T>): Promise<T> {
  const starts = await Promise.all(users.map(endOfFeed))
  let isOver = false
  const story = play().finally(() => {
    isOver = true
  })
  const consumers = users.map((user, at) => printEvents(user, starts[at], () => isOver))
  const [result] = await Promise.all([story, ...consumers])
  return result
}

/** The place after the events so far. */
async function endOfFeed({ order }: SslClient): Promise<string | undefined> {
  for await (const { events, cursor } of order.events({ wait: 0 })) if (events.length === 0) return cursor
  return undefined
}

async function printEvents({ order }: SslClient, after: string | undefined, isOver: () => boolean) {
  let isLast = false
  for await (const { events } of order.events({ after, wait: 1 })) {
    for (const event of events) printLine(`    event   ${wordsOf(event)}`)
    if (isLast && events.length === 0) return
    // What happened until now is in the batches that are requested from now on.
    isLast = isOver()
  }
}

/** An event in words: "order …4a2c55 submitted: DRAFT → SUBMITTED". */
function wordsOf({ type, subject, data: { oldStatus, newStatus } }: CloudEvent): string {
  const [noun = '', what = ''] = type.split('.').map((word) => word.replaceAll('-', ' '))
  const statuses = [oldStatus, newStatus].filter((each) => each !== undefined).join(' → ')
  return `${noun} …${idOf(subject).slice(-6)} ${what}${statuses === '' ? '' : `: ${statuses}`}`
}
