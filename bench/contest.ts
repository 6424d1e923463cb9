import { assertAgreement } from './agreement.js'
import type { Measured } from './round.js'
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
    for (const [nth, count] of connections.entries()) {
      const rounds = new Map(servers.map((server) => [server, [] as Measured[]]))
      // The first turn warms up; further numbers of connections need less of that.
      for (let turn = nth === 0 ? -2 : -1; turn < pairs; turn++)
        for (const server of servers) {
          const job = { work, prepared, tokens, connections: count, seconds }
          const measured = await load.play(server, database.pid, job)
          await work.reset?.(sql)
          if (turn >= 0) rounds.get(server)?.push(measured)
        }
      for (const server of servers)
        results.push({ work, kind: server.kind, connections: count, rounds: rounds.get(server) ?? [] })
    }
    return results
  } finally {
    for (const server of servers) await server.stop()
  }
}
