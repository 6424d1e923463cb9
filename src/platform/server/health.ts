import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../concurrency/with-timeout.js'
import { problem } from '../errors/problem.js'
import { problemResponses } from '../schemas/schemas.js'

const Health = Type.Object({ status: Type.String({ description: 'Always "ok".' }) })

/** Milliseconds after which no answer is an answer. */
const patience = 5000

/** Whether the process lives, and whether it can serve: for orchestrators and load balancers, without a token. */
export async function health(app: FastifyInstance, { isReady }: { isReady: () => Promise<unknown> }) {
  const config = { access: 'public' } as const
  app.get('/live', { config, schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }))

  app.get('/ready', { config, schema: { response: { 200: Health, ...problemResponses(503) } } }, async () => {
    try {
      await withTimeout(patience, isReady(), () => new Error('It does not answer.'))
    } catch (cause) {
      throw problem('database-unavailable', 'The database does not answer.', {
        headers: { 'retry-after': '5' },
        cause
      })
    }
    return { status: 'ok' }
  })
}
