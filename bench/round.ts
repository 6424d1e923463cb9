import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { familyTime, processorTime } from './processor.js'
import type { RunningServer } from './servers.js'
import type { BenchRequest, Prepared, Workload } from './workloads/workload.js'

/** The parameters of the load. */
export interface RoundOptions {
  origin: string
  connections: number
  seconds: number
  /** The number of responses after which it ends earlier. */
  responses: number
  once: boolean
  status: number
  minBytes: number
  tokens: readonly string[]
  requests: readonly BenchRequest[]
  /** Index of the first request in the run. */
  first: number
}

/** The results; times in milliseconds. */
export interface Round {
  responses: number
  seconds: number
  p50: number
  p99: number
  errors: string[]
}

/** A round with its cost. */
export interface Measured extends Omit<Round, 'errors'> {
  perSecond: number
  /** Microseconds of processor time per response. */
  serverCost: number
  databaseCost: number
}

/** The load generator process. */
export interface Load {
  play(server: RunningServer, databasePid: number, job: Job): Promise<Measured>
  stop(): void
}

export interface Job {
  workload: Workload
  prepared: Prepared
  tokens: readonly string[]
  connections: number
  /** The round ends after this many seconds or responses; without both it does not end. */
  seconds?: number
  responses?: number
}

/** JSON has no infinity. */
const forever = Number.MAX_SAFE_INTEGER

export async function startLoad(): Promise<Load> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'load.ts'), { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  let first = 0
  return {
    async play(
      server,
      databasePid,
      { workload, prepared, tokens, connections, seconds = forever, responses = forever }
    ) {
      const options: RoundOptions = {
        origin: server.origin,
        ...{ connections, seconds, responses, tokens, first },
        once: workload.once ?? false,
        status: workload.status,
        minBytes: workload.minBytes,
        requests: prepared.requests
      }
      const before = [processorTime(server.pid), familyTime(databasePid)]
      child.send(options)
      const [round] = (await once(child, 'message')) as [Round]
      const after = [processorTime(server.pid), familyTime(databasePid)]
      if (round.errors.length > 0)
        throw new Error(`${server.kind.title} does not do ${workload.name}:\n${round.errors.join('\n')}`)
      first += round.responses
      const cost = (at: 0 | 1) =>
        Math.round((((after[at] ?? 0) - (before[at] ?? 0)) * 1000) / round.responses)
      const { errors: _, ...found } = round
      return {
        ...found,
        perSecond: round.responses / round.seconds,
        serverCost: cost(0),
        databaseCost: cost(1)
      }
    },
    stop: () => child.disconnect()
  }
}

/** Maximum duration of the warm-up, in seconds. */
const longest = 30

/** Warms a server up with a workload. */
export async function warmUp(
  server: RunningServer,
  databasePid: number,
  load: Load,
  job: Job,
  reset: () => Promise<void>
) {
  const began = performance.now()
  let left = job.workload.warmUp
  while (left > 0 && performance.now() - began < longest * 1000) {
    const { responses } = await load.play(server, databasePid, {
      ...job,
      seconds: longest / 2,
      responses: left
    })
    left -= responses
    await reset()
  }
}
