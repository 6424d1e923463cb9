import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../concurrency/with-timeout.js'
import { problem } from '../errors/problem.js'
import { problemResponses } from '../schemas/problem-body.js'

const Health = Type.Object({
  status: Type.String({
    description:
      '"ok", or of the readiness probe "degraded": the primary database does not respond, and only reads of the standby are answered.'
  })
})

/** Maximum milliseconds of the readiness check. */
const READINESS_TIMEOUT_MS = 5000

/** Liveness and readiness probes for orchestrators and load balancers, without a token. */
export async function health(
  app: FastifyInstance,
  { readiness }: { readiness: () => Promise<'ok' | 'degraded'> }
) {
  const config = { access: 'public' } as const
  app.get('/live', { config, schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }))

  app.get('/ready', { config, schema: { response: { 200: Health, ...problemResponses(503) } } }, async () => {
    if (app.isShuttingDown)
      throw problem('busy', 'The server is shutting down.', { headers: { 'retry-after': '5' } })
    try {
      const late = () => new Error('The readiness check timed out.')
      return { status: await withTimeout(READINESS_TIMEOUT_MS, readiness(), late) }
    } catch (cause) {
      throw problem('database-unavailable', 'The database does not respond.', {
        headers: { 'retry-after': '5' },
        cause
      })
    }
  })
}
