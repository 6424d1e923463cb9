import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isAboutPatients } from '../auth/access.js'

/**
 * Adds an ETag to successful reads and responds with 304 when `If-None-Match` has it (RFC 9110,
 * section 13.1.2). Patient data get no ETag, because clients must not store them.
 */
export const etags = fp(
  async (app: FastifyInstance) => {
    app.addHook('onSend', (request, reply, payload, done) => {
      const tag = isTagged(request, reply) ? tagOf(payload) : undefined
      if (tag === undefined) return done(null, payload)
      reply.header('etag', tag)
      if (!matches(tag, request.headers['if-none-match'])) return done(null, payload)
      reply.code(304)
      done(null, '')
    })
  },
  { name: 'etags', dependencies: ['access-control'] }
)

const isTagged = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && statusCode === 200 && !isAboutPatients(request)

/** The tag of a body. Undefined for a stream. */
const tagOf = (payload: unknown): string | undefined =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? `"${createHash('sha1').update(payload).digest('base64url')}"`
    : undefined

/** Whether an `If-None-Match` header has the tag, by weak comparison. */
const matches = (tag: string, header = ''): boolean =>
  header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
