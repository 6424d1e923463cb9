import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { familyTime, processorTime } from './processor.js'
import type { RunningServer } from './servers.js'
import type { BenchRequest, Prepared, Work } from './works/work.js'

/** The parameters of the load. */
export interface RoundAsked {
  origin: string
  connections: number
  seconds: number
  /** The number of responses after which it ends earlier. */
  answers: number
  once: boolean
  status: number
  least: number
  tokens: readonly string[]
  requests: readonly BenchRequest[]
  /** Index of the first request in the run. */
  first: number
}

/** The results; times in milliseconds. */
export interface Round {
  answers: number
  seconds: number
  p50: number
  p99: number
  faults: string[]
}

/** A round with its cost. */
export interface Measured extends Omit<Round, 'faults'> {
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
  work: Work
  prepared: Prepared
  tokens: readonly string[]
  connections: number
  /** The round ends after this many seconds or responses; without both it does not end. */
  seconds?: number
  answers?: number
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
      { work, prepared, tokens, connections, seconds = forever, answers = forever }
    ) {
      const asked: RoundAsked = {
        origin: server.origin,
        ...{ connections, seconds, answers, tokens, first },
        once: work.once ?? false,
        status: work.status,
        least: work.least,
        requests: prepared.requests
      }
      const before = [processorTime(server.pid), familyTime(databasePid)]
      child.send(asked)
      const [round] = (await once(child, 'message')) as [Round]
      const after = [processorTime(server.pid), familyTime(databasePid)]
      if (round.faults.length > 0)
        throw new Error(`${server.kind.title} does not do ${work.name}:\n${round.faults.join('\n')}`)
      first += round.answers
      const cost = (at: 0 | 1) => Math.round((((after[at] ?? 0) - (before[at] ?? 0)) * 1000) / round.answers)
      const { faults: _, ...found } = round
      return {
        ...found,
        perSecond: round.answers / round.seconds,
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
  let left = job.work.warmUp
  while (left > 0 && performance.now() - began < longest * 1000) {
    const { answers } = await load.play(server, databasePid, { ...job, seconds: longest / 2, answers: left })
    left -= answers
    await reset()
  }
}
