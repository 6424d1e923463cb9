import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'

/**
 * Programs that poll for changed orders once a second, each with its own connection, as
 * docs/api/lists.md tells them to. They run in their own process.
 */

export interface PollsAsked {
  origin: string
  /** One program per element. */
  programs: readonly { path: string; token: string }[]
}

/** What all programs got together: responses by status. */
export type PollsSeen = Record<number, number>

const INTERVAL_MS = 1000

let isPolling = false
let polling: Promise<unknown> = Promise.resolve()
let seen: PollsSeen = {}

async function poll(origin: string, { path, token }: PollsAsked['programs'][number]): Promise<void> {
  const agent = new Agent({ connections: 1 })
  await pause(Math.random() * INTERVAL_MS)
  let since = new Date().toISOString()
  let etag: string | undefined
  while (isPolling) {
    const due = performance.now() + INTERVAL_MS
    const response = await agent.request({
      ...{ origin, method: 'GET', path: `${path}&updatedSince=${encodeURIComponent(since)}` },
      headers: { authorization: `Bearer ${token}`, ...(etag ? { 'if-none-match': etag } : {}) }
    })
    await response.body.dump()
    seen[response.statusCode] = (seen[response.statusCode] ?? 0) + 1
    since = String(response.headers['x-updated-until'] ?? since)
    etag = response.headers.etag?.toString()
    await pause(Math.max(0, due - performance.now()))
  }
  await agent.close()
}

process.on('message', (message: PollsAsked | 'stop') => {
  if (message !== 'stop') {
    isPolling = true
    seen = {}
    polling = Promise.all(message.programs.map((program) => poll(message.origin, program)))
    return
  }
  isPolling = false
  void polling.then(
    () => process.send?.(seen),
    (error) => process.send?.({ error: String(error) })
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
