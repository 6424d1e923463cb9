import { Client } from 'undici'
import type { Prepared } from '../workloads/workload.js'

/** Delays of events from their time to their arrival. */
export interface Delays {
  count: number
  p50: number
  p99: number
  most: number
}

/**
 * Starts readers that wait for events, as those callers that the most requests have. They begin
 * after the events that are there.
 */
export async function startReaders(
  origin: string,
  { requests }: Prepared,
  tokens: readonly string[],
  count: number
) {
  const shares = new Map<number, number>()
  for (const { token } of requests) shares.set(token, (shares.get(token) ?? 0) + 1)
  const chosen = [...shares].sort(([, one], [, other]) => other - one).slice(0, count)
  const clients = chosen.map(() => new Client(origin, { pipelining: 1, headersTimeout: 60_000 }))
  let delays: number[] = []
  let isOver = false

  async function read(client: Client, token: string, path: string): Promise<string> {
    const { statusCode, headers, body } = await client.request({
      ...{ method: 'GET', path, headers: { authorization: `Bearer ${token}` } }
    })
    const events = (await body.json()) as { time: string }[]
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${JSON.stringify(events)}`)
    const now = Date.now()
    for (const { time } of events) delays.push(now - Date.parse(time))
    const [, url = ''] = /<([^>]+)>/.exec(String(headers.link)) ?? []
    return url.slice(new URL(url).origin.length)
  }

  const running = chosen.map(async ([index], at) => {
    const client = clients[at] as Client
    let path = '/ssl-order/v1/events?wait=2'
    while (!isOver) path = await read(client, tokens[index] ?? '', path)
    await client.close()
  })
  return {
    /** The delays since the last call. */
    take(): Delays {
      const sorted = delays.toSorted((one, other) => one - other)
      delays = []
      const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
      return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: Math.round(sorted.at(-1) ?? 0) }
    },
    async stop() {
      isOver = true
      await Promise.all(running)
    }
  }
}
