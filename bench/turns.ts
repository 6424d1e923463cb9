import type { Sql } from 'postgres'
import type { Load, RoundOptions } from './driver.js'
import type { Fixture } from './fixture.js'
import { processorTime, processTreeTime } from './processor.js'
import { entryNamed, type RunningServer, type ServerKind } from './servers.js'
import { detailsWorkload, listWorkload, searchWorkload } from './workloads/reads.js'
import type { PreparedWorkload, Workload } from './workloads/workload.js'
import { acceptWorkload, bulkWorkload } from './workloads/writes.js'

/**
 * The workloads with these comma-separated names; without names all workloads. Reading workloads
 * come first.
 */
export function workloadsNamed(names: string): readonly Workload[] {
  const all = [detailsWorkload, searchWorkload, listWorkload, acceptWorkload, bulkWorkload]
  return names === '' ? all : names.split(',').map((name) => entryNamed('workload', all, name))
}

/** One of two servers that take turns, and its database. */
export interface Side {
  kind: ServerKind
  databaseUrl: string
  sql: Sql
}

/** A round with its cost. Times are in milliseconds. */
export interface MeasuredRound {
  perSecond: number
  p50: number
  p99: number
  /** Microseconds of processor time per response. */
  serverCost: number
  databaseCost: number
}

/** A round of each server, one after the other. */
export type Turn = readonly [MeasuredRound, MeasuredRound]

export interface TurnOptions {
  /** Number of turns. */
  pairs: number
  seconds: number
  connections: readonly number[]
  /** Checks both servers before the turns. */
  check?(
    servers: readonly RunningServer[],
    prepared: PreparedWorkload,
    tokens: readonly string[]
  ): Promise<void>
}

/** Maximum duration of the warm-up, in seconds. */
const WARM_UP_S = 30

/**
 * Runs a workload on two servers in turns (A B A B …), both freshly started and warmed up. No other
 * server runs meanwhile, because it would use memory and processor cache.
 * @returns the turns for each number of connections.
 */
export async function takeTurns(
  { load, database, tokensOf, serve }: Fixture,
  workload: Workload,
  sides: readonly [Side, Side],
  { pairs, seconds, connections, check }: TurnOptions
): Promise<Turn[][]> {
  async function start({ kind, databaseUrl, sql }: Side) {
    const prepared = await workload.prepare(sql)
    const tokens = await tokensOf(prepared.callers)
    const server = await serve(kind, { databaseUrl })
    const round = async (limits: Pick<RoundOptions, 'connections' | 'seconds' | 'responses'>) => {
      const options = { origin: server.origin, tokens, requests: prepared.requests, ...limits }
      const measured = await measure(load, workload, server, database.pid, options)
      await workload.reset?.(sql)
      return measured
    }
    return { prepared, tokens, server, round }
  }
  const [one, other] = [await start(sides[0]), await start(sides[1])]
  try {
    await check?.([one.server, other.server], one.prepared, one.tokens)
    const warmUp = { connections: connections[0] ?? 1, seconds: WARM_UP_S, responses: workload.warmUp }
    for (const { round } of [one, other]) await round(warmUp)
    const results: Turn[][] = []
    for (const count of connections) {
      const turns: Turn[] = []
      // The first turn warms up both servers at this number of connections. The results of this
      // turn are dropped.
      for (let turn = 0; turn <= pairs; turn++)
        turns.push([
          await one.round({ connections: count, seconds }),
          await other.round({ connections: count, seconds })
        ])
      results.push(turns.slice(1))
    }
    return results
  } finally {
    for (const { server } of [one, other]) await server.stop()
  }
}

/** @throws Error with the first wrong responses. */
async function measure(
  load: Load,
  workload: Workload,
  server: RunningServer,
  databasePid: number,
  options: RoundOptions
): Promise<MeasuredRound> {
  const { once = false, status, minBytes } = workload
  const costs = () => [processorTime(server.pid), processTreeTime(databasePid)] as const
  const before = costs()
  const round = await load.play({ ...options, once, expected: { status, minBytes } })
  const after = costs()
  if (round.errors.length > 0)
    throw new Error(`${server.title} does not do ${workload.name}:\n${round.errors.join('\n')}`)
  const costOf = (at: 0 | 1) => ((after[at] - before[at]) * 1000) / round.responses
  const { responses, p50, p99 } = round
  const perSecond = responses / round.seconds
  return { perSecond, p50, p99, serverCost: costOf(0), databaseCost: costOf(1) }
}
