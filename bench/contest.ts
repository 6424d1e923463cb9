import { isDeepStrictEqual } from 'node:util'
import { type Measured, warmUp } from './round.js'
import type { BenchServerKind, RunningServer } from './servers.js'
import type { Stand } from './stand.js'
import type { Prepared, Work } from './works/work.js'

export interface ContestOptions {
  /** The two servers compared. */
  kinds: readonly [BenchServerKind, BenchServerKind]
  connections: readonly number[]
  /** Rounds of each server, in turns. */
  pairs: number
  seconds: number
  seed?: number
}

/** A round of each server, one after the other. */
export type Pair = readonly [Measured, Measured]

/** The result of two servers in one workload with a number of connections. */
export interface Result {
  work: Work
  kinds: ContestOptions['kinds']
  connections: number
  pairs: Pair[]
  /** The reason it stopped early, if it did. */
  fault: string | undefined
}

/**
 * Runs a workload on two servers in turns (A B A B …), both freshly started and warmed up. No other
 * server runs meanwhile, which would take memory and processor cache.
 */
export async function contest(
  { sql, issuer, load, database, serve }: Stand,
  work: Work,
  { kinds, connections, pairs, seconds, seed = 1 }: ContestOptions
): Promise<Result[]> {
  const prepared = await work.prepare(sql, seed)
  const tokens = await issuer.tokensOf(prepared.callers)
  const servers = [await serve(kinds[0]), await serve(kinds[1])] as const
  const job = { work, prepared, tokens, seconds }
  const reset = async () => work.reset?.(sql)

  async function meet(count: number): Promise<Result> {
    const met: Pair[] = []
    const result = { work, kinds, connections: count, pairs: met, fault: undefined }
    const round = async (at: 0 | 1) => {
      const measured = await load.play(servers[at], database.pid, { ...job, connections: count })
      await reset()
      return measured
    }
    try {
      // The first turn warms both up with this number of connections.
      for (let turn = -1; turn < pairs; turn++) {
        const pair = [await round(0), await round(1)] as const
        if (turn >= 0) met.push(pair)
      }
      return result
    } catch (error) {
      await reset()
      return { ...result, fault: error instanceof Error ? error.message : String(error) }
    }
  }

  try {
    await assertAgreement(work, prepared, tokens, servers)
    for (const server of servers)
      await warmUp(server, database.pid, load, { ...job, connections: connections[0] ?? 1 }, reset)
    const results: Result[] = []
    for (const count of connections) results.push(await meet(count))
    return results
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Number of requests compared. */
const few = 20

/**
 * Checks that all servers respond alike, so that none wins by responding less.
 * @throws Error with the first responses that differ.
 */
async function assertAgreement(
  work: Work,
  { requests }: Prepared,
  tokens: readonly string[],
  servers: readonly RunningServer[]
): Promise<void> {
  if (!work.gist) return
  for (const { method, path, token } of requests.slice(0, few)) {
    const answers = await Promise.all(
      servers.map(async ({ kind, origin }) => {
        const answer = await fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${tokens[token]}` }
        })
        const text = await answer.text()
        if (answer.status !== work.status)
          throw new Error(`${kind.title} answers ${answer.status} to ${path}: ${text.slice(0, 500)}`)
        return { kind, gist: work.gist?.(JSON.parse(text)) }
      })
    )
    const [first, ...others] = answers
    const other = others.find(({ gist }) => !isDeepStrictEqual(gist, first?.gist))
    if (first && other)
      throw new Error(
        `${first.kind.title} and ${other.kind.title} differ on ${path}:\n${JSON.stringify(first.gist)}\n${JSON.stringify(other.gist)}`
      )
  }
}
