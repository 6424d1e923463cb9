import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../concurrency/with-timeout.js'
import { problem } from '../errors/problem.js'
import { problemResponses } from '../schemas/problem-body.js'

const Health = Type.Object({ status: Type.String({ description: 'Always "ok".' }) })

/** Maximum milliseconds of the readiness check. */
const READINESS_TIMEOUT_MS = 5000

/** Liveness and readiness probes for orchestrators and load balancers, without a token. */
export async function health(app: FastifyInstance, { isReady }: { isReady: () => Promise<unknown> }) {
  const config = { access: 'public' } as const
  app.get('/live', { config, schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }))

  app.get('/ready', { config, schema: { response: { 200: Health, ...problemResponses(503) } } }, async () => {
    try {
      await withTimeout(READINESS_TIMEOUT_MS, isReady(), () => new Error('The readiness check timed out.'))
    } catch (cause) {
      throw problem('database-unavailable', 'The database does not respond.', {
        headers: { 'retry-after': '5' },
        cause
      })
    }
    return { status: 'ok' }
  })
}
