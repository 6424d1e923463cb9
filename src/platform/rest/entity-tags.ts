import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../auth/call.js'
import { Versioned } from './revision.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Revision of the resource in the response. Null for lists. */
    revision: string | null
  }
}

/** The revision in tags of what has none, such as lists. No resource has it. */
const NO_REVISION = '0'

/**
 * The strong tag of a response: the revision of the resource, and a digest of the body, which also
 * depends on the caller, the language and the query.
 */
export const entityTag = (revision: string | null, body: string | Buffer): string =>
  `"${revision ?? NO_REVISION}.${hash('sha1', body, 'base64url')}"`

/** Entity tags of a header (RFC 9110, section 8.8.3). Ignores anything else. */
const parseTags = (header: string) =>
  [...header.matchAll(/(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, weak, opaque = '']) => ({
    isWeak: weak !== undefined,
    opaque
  }))

const ANY = '*'

/** Whether an `If-None-Match` header has the tag, by weak comparison. */
export const isTagIn = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === ANY || parseTags(header).some(({ opaque }) => `"${opaque}"` === tag))

/**
 * The caller with the revisions of `If-Match`, by strong comparison: weak tags match nothing. The
 * rest of the tags is ignored, because the language of a response does not matter to a write.
 */
export function conditionalCall({ call, headers }: FastifyRequest): Call {
  const header = headers['if-match']
  // A resource that does not exist is 404 in any case.
  if (header === undefined || header.trim() === ANY) return call
  const tags = parseTags(header).filter(({ isWeak }) => !isWeak)
  return { ...call, ifMatch: new Set(tags.map(({ opaque }) => opaque.split('.')[0] ?? '')) }
}

/** The resource of a result. Its revision becomes part of the response's `ETag`. */
export function resourceOf<T>(request: FastifyRequest, result: T | Versioned<T>): T {
  if (!(result instanceof Versioned)) return result
  request.revision = result.revision
  return result.resource
}
