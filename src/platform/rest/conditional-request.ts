import type { FastifyRequest } from 'fastify'
import type { Call } from '../auth/call.js'
import { ANY_TAG, parseTags } from '../headers/entity-tags.js'
import { Versioned } from './revision.js'

/**
 * The caller with the revisions of `If-Match`, by strong comparison: weak tags match nothing. The
 * rest of the tags is ignored, because the language of a response does not matter to a write.
 */
export function conditionalCall({ state: { call }, headers }: FastifyRequest): Call {
  const header = headers['if-match']
  // A resource that does not exist is 404 in any case.
  if (header === undefined || header.trim() === ANY_TAG) return call
  const tags = parseTags(header).filter(({ isWeak }) => !isWeak)
  return { ...call, ifMatch: new Set(tags.map(({ opaque }) => opaque.split('.')[0] ?? '')) }
}

/** The resource of a result. Its revision becomes part of the response's `ETag`. */
export function resourceOf<T>(request: FastifyRequest, result: T | Versioned<T>): T {
  if (!(result instanceof Versioned)) return result
  request.state.revision = result.revision
  return result.resource
}
