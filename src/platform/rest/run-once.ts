import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AccessRule } from '../auth/access-rule.js'
import type { Call } from '../auth/call.js'
import { serverProblem } from '../server/texts.js'
import { isId } from '../urls/resource-urls.js'

declare module 'fastify' {
  interface FastifyInstance {
    runOnce: RunOnce
  }
}

/** The work of a POST, and how its repeats get the same response. */
export interface RepeatablePost<T, R extends object> {
  /** Runs the use case. Its unit of work stores the result. */
  run: (call: Call) => Promise<T>
  /**
   * Converts the result of the unit of work to the stored result, which must not contain patient
   * data.
   */
  toResult: (made: unknown) => R
  /** Checks that the caller may still see the created resource, and returns the result of `run`. */
  repeat: (call: Call, result: R) => Promise<T>
  /** SHA-256 of the body. Default: the digest of the JSON body. */
  bodyDigest?: Buffer
}

/**
 * Runs a POST, at most once for its `Idempotency-Key`, if it has one.
 * @throws Problem `invalid-idempotency-key`, `idempotency-key-reused`.
 */
export type RunOnce = <T, R extends object>(request: FastifyRequest, post: RepeatablePost<T, R>) => Promise<T>

const HEADER = 'idempotency-key'

/** Whether the request is a POST that writes, with an `Idempotency-Key`. */
export const hasIdempotencyKey = ({ method, headers, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' && headers[HEADER] !== undefined && !routeOptions.config.isSearch

/** @throws Problem `invalid-idempotency-key`. */
export function parseIdempotencyKey({ headers }: FastifyRequest): string {
  const key = String(headers[HEADER])
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw serverProblem('invalid-idempotency-key')
}

export const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/**
 * The stored result of a POST for its repeats: the ids of the resources that its unit of work
 * created, from an id, ids or rows.
 * @throws Error for any other result, which could be patient data.
 */
export function toCreatedIds(made: unknown) {
  const ids = [made].flat().map((each) => (each as { id?: unknown } | undefined)?.id ?? each)
  if (!ids.every((each) => typeof each === 'string' && isId(each)))
    throw new Error('The unit of work of a POST must return the ids of the resources that it created.')
  return { ids: ids as string[] }
}

/**
 * The caller with the scope of the rule for reading. The first response did not require the
 * permission either.
 */
export const inScopeOf = ({ scopes }: AccessRule, call: Call): Call => ({
  ...call,
  scope: scopes[call.caller.userType] ?? call.scope
})
