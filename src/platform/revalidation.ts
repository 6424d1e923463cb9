import etag from '@fastify/etag'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/**
 * Gives answers an ETag, and 304 to who has the answer already. Only what was read can be had already: a write, and a refusal, are
 * answered as they are (RFC 9110, section 13.1.2).
 */
export const revalidation = fp(
  async (app: FastifyInstance) => {
    // Before the plugin's own hook, which knows neither methods nor statuses.
    app.addHook('onSend', async (request, reply) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead || reply.statusCode !== 200) delete request.headers['if-none-match']
    })
    await app.register(etag)
  },
  { name: 'revalidation' }
)
