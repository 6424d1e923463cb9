import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, preValidationHookHandler } from 'fastify'

/** What a request waited for, in the sequence in which it ended. */
export type Timings = { step: string; ms: number }[]

/** Further steps of a request are left out, so that its log line is short. */
const MAX_TIMINGS = 100

const current = new AsyncLocalStorage<Timings>()

/** Whether log lines of requests have timings. */
export const hasTimings = ({ log: { level } }: Pick<FastifyInstance, 'log'>): boolean =>
  level === 'debug' || level === 'trace'

/** Runs a function that, with all it starts, adds to these timings. */
export const withTimings = (timings: Timings, run: () => void): void => current.run(timings, run)

/** Runs a function that, with all it starts, works for several requests and adds to none. */
export const withoutTimings = <T>(run: () => T): T => current.exit(run)

/**
 * Adds a step of the current request, if its log line has timings.
 * @param step a fixed name, without data of a request.
 * @param start when the step began, by `performance.now()`.
 */
export function addTiming(step: string | (() => string), start: number): void {
  const timings = current.getStore()
  if (!timings || timings.length >= MAX_TIMINGS) return
  const name = typeof step === 'string' ? step : step()
  timings.push({ step: name, ms: Math.round((performance.now() - start) * 10) / 10 })
}

/** Adds a step that lasts until its work has settled. */
export function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  if (current.getStore() === undefined) return work()
  const start = performance.now()
  return work().finally(() => addTiming(step, start))
}

/** Enters the timings again: the body is read outside of them. */
export function enterTimings(app: FastifyInstance): preValidationHookHandler | undefined {
  if (!hasTimings(app)) return undefined
  return ({ state: { timings } }, _reply, done) => withTimings(timings ?? [], done)
}
