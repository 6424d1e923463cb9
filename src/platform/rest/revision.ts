import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'
import { ANY_TAG, parseTags } from '../headers/entity-tags.js'

/** A resource as the caller reads it, and the revision of the stored row. */
export class Versioned<T> {
  constructor(
    readonly resource: T,
    readonly revision: string
  ) {}
}

/**
 * The revision of a row without a counter of changes: a digest of its columns. Nulls are omitted,
 * so that a new nullable column changes no revision.
 */
export function revisionOf(row: object): string {
  const columns = Object.entries(row)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(columns), 'base64url').slice(0, 16)
}

/**
 * Checks the `If-Match` of a request in the writing transaction, against the locked rows, and only
 * if the caller can see the resource.
 * @throws Problem `precondition-failed`.
 */
export function assertRevision({ ifMatch }: Pick<Call, 'ifMatch'>, revision: () => string): void {
  if (ifMatch === undefined || ifMatch.has(revision())) return
  throw problem('precondition-failed')
}

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
