import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isAboutPatients } from '../auth/access.js'

/**
 * Gives answers an ETag, and 304 to who has the answer already. Only what was read can be had already, so a write and a refusal are
 * answered as they are (RFC 9110, section 13.1.2); and nobody keeps what is about patients.
 */
export const etags = fp(
  async (app: FastifyInstance) => {
    app.addHook('onSend', async (request, reply, payload) => {
      const { method, headers } = request
      const isRead = method === 'GET' || method === 'HEAD'
      if (!isRead || reply.statusCode !== 200 || isAboutPatients(request)) return payload
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
      const tag = `"${createHash('sha1').update(payload).digest('base64url')}"`
      reply.header('etag', tag)
      if (!isNamed(tag, headers['if-none-match'])) return payload
      reply.code(304)
      return ''
    })
  },
  { name: 'revalidation', dependencies: ['access-control'] }
)

/** Whether a tag is among those of an `If-None-Match` header, by the weak comparison that it asks for. */
const isNamed = (tag: string, header = ''): boolean =>
  header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
