import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { problem } from './problem.js'
import { problems } from './schemas.js'

const Health = Type.Object({ status: Type.String({ description: 'Always "ok".' }) })

/** Whether the process lives, and whether it can serve: for orchestrators and load balancers, without a token. */
export async function health(app: FastifyInstance, { isReady }: { isReady: () => Promise<unknown> }) {
  const config = { access: 'public' } as const
  /** Milliseconds after which no answer is an answer. */
  const handlerTimeout = 5000

  app.get('/live', { config, schema: { response: { 200: Health } } }, async () => ({ status: 'ok' }))

  app.get(
    '/ready',
    { config, handlerTimeout, schema: { response: { 200: Health, ...problems(503) } } },
    async () => {
      try {
        await isReady()
      } catch (cause) {
        throw problem('database-unavailable', 'The database does not answer.', {
          headers: { 'retry-after': '5' },
          cause
        })
      }
      return { status: 'ok' }
    }
  )
}
