import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { Call } from '../auth/call.js'
import { ANY_TAG, entityTag, isTagIn, parseTags } from '../headers/entity-tags.js'
import { addVary } from '../headers/negotiation.js'
import { Versioned } from './revision.js'

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

/**
 * The caller with the revisions of `If-Match`, by strong comparison. The rest of the tags is
 * ignored: the language of a response does not matter to a write.
 */
export function conditionalCall({ state: { call }, headers }: FastifyRequest): Call {
  const header = headers['if-match']
  // A missing resource gets 404 in any case.
  if (header === undefined || header.trim() === ANY_TAG) return call
  const tags = parseTags(header).filter(({ isWeak }) => !isWeak)
  return { ...call, ifMatch: new Set(tags.map(({ opaque }) => opaque.split('.')[0] ?? '')) }
}

/** Records the revision of a result for the `ETag` of the response. Returns its resource. */
export function recordRevision<T>(request: FastifyRequest, result: T | Versioned<T>): T {
  if (!(result instanceof Versioned)) return result
  request.state.revision = result.revision
  return result.resource
}
