import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isAboutPatients } from '../auth/access.js'

/**
 * Adds an ETag to successful reads and responds with 304 when `If-None-Match` has it (RFC 9110,
 * section 13.1.2). Patient data get no ETag, because clients must not store them.
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
      if (!matches(tag, headers['if-none-match'])) return payload
      reply.code(304)
      return ''
    })
  },
  { name: 'etags', dependencies: ['access-control'] }
)

/** Whether an `If-None-Match` header has the tag, by weak comparison. */
const matches = (tag: string, header = ''): boolean =>
  header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
