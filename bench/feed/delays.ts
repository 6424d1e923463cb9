import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { readEvents } from '../client.js'
import type { Prepared } from '../workloads/workload.js'

/**
 * Starts readers that wait for events, as those callers that the most requests have. They begin
 * after the events that are there.
 */
export function startReaders(
  origin: string,
  { requests }: Prepared,
  tokens: readonly string[],
  count: number
) {
  const shares = tokens.map((token, at) => ({
    token,
    share: requests.filter((request) => request.token === at).length
  }))
  const readers = shares.toSorted((one, other) => other.share - one.share).slice(0, count)
  let delays: number[] = []
  let isOver = false
  const running = readers.map(async ({ token }) => {
    let path = '/ssl-order/v1/events?wait=2'
    while (!isOver) {
      const { events, next } = await readEvents(origin, token, path)
      const now = Date.now()
      for (const { time } of events) delays.push(now - Date.parse(time))
      path = next
    }
  })
  return {
    /** The milliseconds from the time of each event since the last call to its arrival. */
    take(): number[] {
      const taken = delays
      delays = []
      return taken
    },
    async stop() {
      isOver = true
      await Promise.all(running)
    }
  }
}

/** The longest time in ms for which one transaction held the lock of the ledger. */
export async function longestHold(sql: Sql, isOver: () => boolean): Promise<number> {
  const since = new Map<string, number>()
  let longest = 0
  while (!isOver()) {
    const now = performance.now()
    const rows = await sql<{ id: string }[]>`
      select distinct virtualtransaction as id from pg_locks
      where relation = 'events'::regclass and mode = 'RowExclusiveLock'`
    const open = new Set(rows.map(({ id }) => id))
    for (const id of since.keys()) if (!open.has(id)) since.delete(id)
    for (const id of open) {
      const start = since.get(id) ?? now
      since.set(id, start)
      longest = Math.max(longest, now - start)
    }
    await pause(10)
  }
  return longest
}
