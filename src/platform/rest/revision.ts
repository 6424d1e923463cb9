import { hash } from 'node:crypto'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'

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
