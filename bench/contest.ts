import { assertAgreement } from './agreement.js'
import { type Measured, warmUp } from './round.js'
import type { RunningServer } from './running.js'
import type { BenchServerKind } from './servers.js'
import type { Stand } from './stand.js'
import type { Work } from './works/work.js'

export interface ContestOptions {
  kinds: readonly BenchServerKind[]
  connections: readonly number[]
  /** Rounds of each server; they take turns. */
  pairs: number
  seconds: number
  seed?: number
}

/** The rounds of one server in one work with so many connections. */
export interface Result {
  work: Work
  kind: BenchServerKind
  connections: number
  rounds: Measured[]
  /** Why it could not go on, if so. */
  fault: string | undefined
}

/** Lets servers do a work in turns, A B C A B C …, all of them freshly started and warmed up. */
export async function contest(
  { sql, issuer, load, database, serve }: Stand,
  work: Work,
  { kinds, connections, pairs, seconds, seed = 1 }: ContestOptions
): Promise<Result[]> {
  const prepared = await work.prepare(sql, seed)
  const tokens = await issuer.tokensOf(prepared.callers)
  const servers: RunningServer[] = []
  try {
    for (const kind of kinds.filter((each) => !each.without?.includes(work.name)))
      servers.push(await serve(kind))
    await assertAgreement(work, prepared, tokens, servers)
    const results: Result[] = []
    const job = { work, prepared, tokens, seconds }
    const reset = async () => work.reset?.(sql)
    for (const server of servers)
      await warmUp(server, database.pid, load, { ...job, connections: connections[0] ?? 1 }, reset)
    for (const count of connections) {
      const found = servers.map(
        ({ kind }): Result => ({ work, kind, connections: count, rounds: [], fault: undefined })
      )
      // The first turn gets everybody used to the number of connections.
      for (let turn = -1; turn < pairs; turn++)
        for (const [at, result] of found.entries()) {
          const server = servers[at]
          if (!server || result.fault !== undefined) continue
          try {
            const measured = await load.play(server, database.pid, { ...job, connections: count })
            if (turn >= 0) result.rounds.push(measured)
          } catch (error) {
            result.fault = error instanceof Error ? error.message : String(error)
          }
          await reset()
        }
      results.push(...found)
    }
    return results
  } finally {
    for (const server of servers) await server.stop()
  }
}
