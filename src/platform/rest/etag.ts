import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { entityTag, isTagIn } from '../headers/entity-tags.js'
import { addVary } from '../headers/negotiation.js'

/**
 * Adds an ETag, and responds to reads with 304 when `If-None-Match` has it (RFC 9110, section
 * 13.1.2). The audit record has been written by then.
 */
export const tagResponse: onSendHookHandler = (request, reply, payload, done) => {
  if (!isText(payload)) return done(null, payload)
  // Codings have displays in the language of the caller.
  if (/^application\/json\b/.test(String(reply.getHeader('content-type')))) addVary(reply, 'Accept-Language')
  if (!isTagged(request, reply)) return done(null, payload)
  const tag = String(reply.getHeader('etag') ?? entityTag(request.state.revision, payload))
  reply.header('etag', tag)
  if (request.routeOptions.config.access !== 'public') addVary(reply, 'Authorization')
  if (!isRead(request) || !isTagIn(request.headers['if-none-match'], tag)) return done(null, payload)
  reply.code(304)
  // The response to HEAD has the length of the body. The response to GET must not have another
  // length.
  done(null, request.method === 'HEAD' ? payload : null)
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Whether the response is a successful read, or a write that responds with the resource. */
const isTagged = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  (isRead(request) && statusCode === 200) ||
  (request.state.revision !== null && [200, 201].includes(statusCode))

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
