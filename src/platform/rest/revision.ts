import { hash } from 'node:crypto'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'

/**
 * A resource as the caller reads it, and the revision of what is stored: the same for every caller.
 */
export class Versioned<T> {
  constructor(
    readonly resource: T,
    readonly revision: string
  ) {}
}

/**
 * The revision of a row that does not count its changes: a digest of its columns. A null does not
 * count, so that a new nullable column changes no revision.
 */
export function revisionOf(row: object): string {
  const columns = Object.entries(row)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(columns), 'base64url').slice(0, 16)
}

/**
 * Checks the `If-Match` of a request. Call it in the transaction that writes, on what that locked,
 * and only after the caller is known to see the resource.
 * @param revision computes the stored revision; not called without the header.
 * @throws Problem `precondition-failed` when the header names other revisions only.
 */
export function assertRevision({ ifMatch }: Pick<Call, 'ifMatch'>, revision: () => string): void {
  if (ifMatch === undefined || ifMatch.has(revision())) return
  throw problem('precondition-failed')
}
