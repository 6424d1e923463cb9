import { type CloudEvent, idOf, type SslClient } from '../../clients/typescript/src/index.js'
import { printLine } from './print.js'

/**
 * Starts a consumer of the events that a user sees, at the end of the feed.
 * @returns a function that prints what happened since.
 */
export async function startConsumer({ order }: SslClient): Promise<() => Promise<void>> {
  let after: string | undefined

  async function readNew(handle: (event: CloudEvent) => void): Promise<void> {
    for await (const { events, cursor } of order.events({ after, wait: 0 })) {
      events.forEach(handle)
      after = cursor
      if (events.length === 0) return
    }
  }

  await readNew(() => {})
  return () => readNew((event) => printLine(`    event   ${wordsOf(event)}`))
}

/** An event in words: "order …4a2c55 submitted: DRAFT → SUBMITTED". */
function wordsOf({ type, subject, data: { oldStatus, newStatus } }: CloudEvent): string {
  const [noun = '', what = ''] = type.split('.').map((word) => word.replaceAll('-', ' '))
  const statuses = [oldStatus, newStatus].filter((each) => each !== undefined).join(' → ')
  return `${noun} …${idOf(subject).slice(-6)} ${what}${statuses === '' ? '' : `: ${statuses}`}`
}
