import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchRequest } from './workloads/workload.js'

/** The parameters of a load. The load ends after this time or number of responses. */
export interface RoundOptions {
  origin: string
  tokens: readonly string[]
  requests: readonly BenchRequest[]
  /** Each connection sends one request at a time. */
  connections: number
  seconds?: number
  responses?: number
  /**
   * Requests per second of all connections. They become due at equal intervals, and times are
   * measured from then. Without a rate each connection sends the next request after each response.
   */
  perSecond?: number
  /** Whether the round ends after the last request, instead of repeating the requests. */
  once?: boolean
  /** A good response. Without a check the statuses are only counted. */
  expected?: { status: number; minBytes: number }
}

/** The results. Times are in milliseconds. A wrong response counts as infinitely long. */
export interface Round {
  responses: number
  seconds: number
  p50: number
  p99: number
  statuses: ReadonlyMap<number, number>
  errors: string[]
}

/** The load generator. */
export interface Load {
  play(options: RoundOptions): Promise<Round>
  stop(): void
}

/** Starts a load generator in its own process, so that requests cost the measuring process nothing. */
export async function startLoad(): Promise<Load> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'load.ts'), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced'
  })
  await once(child, 'message')
  return {
    async play(options) {
      child.send(options)
      const [round] = (await once(child, 'message')) as [Round]
      return round
    },
    stop: () => child.disconnect()
  }
}

/** The value that this fraction of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0
