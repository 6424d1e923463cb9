import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Prepared } from '../workloads/workload.js'

/** Milliseconds between two groups of requests. */
const TICK_MS = 10

/**
 * Sends requests at a fixed rate, each once, whether earlier ones have their response or not.
 * @returns sends for some seconds, waits for the responses, and returns the requests a second.
 */
export function sendMoves(
  origin: string,
  { requests }: Prepared,
  tokens: readonly string[]
): (rate: number, seconds: number) => Promise<number> {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 })
  let next = 0

  async function send(): Promise<void> {
    const request = requests[next++]
    if (!request)
      throw new Error('There are no more orders to accept. Take a larger --scale, or a lower --rate.')
    const { method, path, body = '', token } = request
    const headers = { authorization: `Bearer ${tokens[token]}`, 'content-type': 'application/json' }
    const response = await pool.request({ method, path, headers, body })
    await response.body.dump()
    if (response.statusCode !== 204) throw new Error(`${method} ${path}: ${response.statusCode}`)
  }

  return async (rate, seconds) => {
    const start = performance.now()
    const pending: Promise<void>[] = []
    for (let sent = 0; sent < rate * seconds; ) {
      const due = Math.min(((performance.now() - start) / 1000) * rate, rate * seconds)
      for (; sent < due; sent++) pending.push(send())
      await pause(TICK_MS)
    }
    await Promise.all(pending)
    return pending.length / ((performance.now() - start) / 1000)
  }
}
