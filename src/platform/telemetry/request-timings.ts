import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, preValidationHookHandler } from 'fastify'

/** The waiting times of a request, in the sequence of their ends. */
export type Timings = { step: string; ms: number }[]

/** Maximum number of steps in a log line, so that the line stays short. */
const MAX_TIMINGS = 100

const current = new AsyncLocalStorage<Timings>()

/** Whether log lines of requests have timings. */
export const hasTimings = ({ log: { level } }: Pick<FastifyInstance, 'log'>): boolean =>
  level === 'debug' || level === 'trace'

/** Runs a function whose work, including asynchronous work, adds to these timings. */
export const withTimings = (timings: Timings, run: () => void): void => current.run(timings, run)

/** Runs a function whose work is for several requests and adds to no timings. */
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

/** Restores the timings, because the body is read outside their context. */
export function enterTimings(app: FastifyInstance): preValidationHookHandler | undefined {
  if (!hasTimings(app)) return undefined
  return ({ state: { timings } }, _reply, done) => withTimings(timings ?? [], done)
}
