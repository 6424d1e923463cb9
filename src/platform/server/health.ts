import { Type } from '@sinclair/typebox'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { authProblem } from '../auth/texts.js'
import { withTimeout } from '../concurrency/deadline.js'
import { type Problem, problem } from '../errors/problem.js'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'
import type { Version } from '../program/program.js'
import { ProblemBody } from '../schemas/problem-body.js'
import { observeGauge } from '../telemetry/meter.js'
import { sendProblem } from './error-handler.js'
import { untilDeadline } from './until-deadline.js'

export type DependencyState = 'ok' | 'unavailable'

export interface Dependency {
  /** A rejection counts as unavailable, and is logged if the dependency is vital. */
  state(): Promise<DependencyState> | DependencyState
  /** Whether every request fails without it. */
  isVital: boolean
}

export interface HealthOptions {
  /** By their names in the response. */
  dependencies: Readonly<Record<string, Dependency>>
  version: Version
}

const Health = Type.Object({
  status: Type.String({
    description:
      '"ok", or of the readiness probe "degraded": some requests fail because a dependency is unavailable.'
  }),
  dependencies: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'State of each dependency: "ok" or "unavailable".'
    })
  )
})

const READINESS_TIMEOUT_MS = 5000

/** Public routes for orchestrators. An instance is ready unless all requests fail. */
export async function health(app: FastifyInstance, { dependencies, version }: HealthOptions) {
  const config = { access: 'uncounted' } as const
  app.get('/health/live', { config, schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }))
  app.get('/version', { config: { access: 'public' } }, async () => version)
  app.addHook('onClose', observeDependencies(dependencies))

  const schema = { response: { 200: Health, 503: ProblemBody } }
  const report = changesOfReadiness(app.log)
  app.get(
    '/health/ready',
    { config, schema },
    untilDeadline(async (request, reply) => {
      const found = app.isShuttingDown ? [] : await findStates(dependencies)
      const states = Object.fromEntries(found.map(({ name, state }) => [name, state]))
      const failed = found.find(({ name, state }) => state === 'unavailable' && dependencies[name]?.isVital)
      const reason = app.isShuttingDown ? problem('busy') : failed && notReady(failed, states)
      report(reason)
      // The error handler would log each probe.
      if (reason) return sendProblem(request, reply, reason)
      const isOk = found.every(({ state }) => state === 'ok')
      return { status: isOk ? 'ok' : 'degraded', dependencies: states }
    })
  )
}

/** Logs each change of readiness. A different reason for being unready is also a change. */
function changesOfReadiness(log: FastifyBaseLogger): (reason: Problem | undefined) => void {
  let reported: string | undefined
  return (reason) => {
    if (reason?.code === reported) return
    reported = reason?.code
    if (!reason) log.info(logLine('This instance is ready again.'))
    else
      log.error(
        logLine('This instance is not ready.', {
          code: reason.code,
          cause: redactError(reason.cause ?? reason)
        })
      )
  }
}

/**
 * Observes each dependency when the metrics are read, until the returned function is called. A read
 * returns the last known states, so that it never waits for a dependency.
 */
function observeDependencies(dependencies: HealthOptions['dependencies']): () => Promise<void> {
  let known: readonly Found[] = []
  let isAsking = false
  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    known = await findStates(dependencies)
    isAsking = false
  }
  const stopObserving = observeGauge(
    'ssl.dependency.available',
    { description: '1 while a dependency has the state ok in /health/ready, otherwise 0.' },
    () => {
      void ask()
      return known.map(({ name, state }) => [state === 'ok' ? 1 : 0, { dependency: name }])
    }
  )
  return async () => stopObserving()
}

interface Found {
  name: string
  state: DependencyState
  cause?: unknown
}

const findStates = (dependencies: HealthOptions['dependencies']): Promise<Found[]> =>
  Promise.all(Object.entries(dependencies).map(stateOf))

async function stateOf([name, dependency]: [string, Dependency]): Promise<Found> {
  const late = () => new Error('The readiness check timed out.')
  try {
    const state = (async () => dependency.state())()
    return { name, state: await withTimeout(READINESS_TIMEOUT_MS, state, late) }
  } catch (cause) {
    return { name, state: 'unavailable', cause }
  }
}

function notReady({ name, cause }: Found, dependencies: Record<string, DependencyState>): Problem {
  const options = { members: { dependencies }, cause }
  return name === 'database'
    ? problem('database-unavailable', null, null, options)
    : authProblem('token-issuer-unavailable', null, null, options)
}
