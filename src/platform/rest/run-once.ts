import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AccessRule } from '../auth/access-rule.js'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'
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
  /** Converts the result of the unit of work to what is stored, which must hold no patient data. */
  toResult: (made: unknown) => R
  /** Checks that the caller may still see what was made, and returns what `run` returned. */
  repeat: (call: Call, result: R) => Promise<T>
  /** SHA-256 of the body. Default: that of the JSON body. */
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
  throw problem('invalid-idempotency-key')
}

export const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** What a POST stores for its repeats: the ids of what it made. */
export interface CreatedIds {
  ids: readonly string[]
}

/**
 * The ids of what a unit of work made: its result is an id, ids or rows.
 * @throws Error if it is anything else, which could be patient data.
 */
export function toCreatedIds(made: unknown): CreatedIds {
  const ids = [made].flat().map((each) => (each as { id?: unknown } | undefined)?.id ?? each)
  if (!ids.every((each) => typeof each === 'string' && isId(each)))
    throw new Error('The unit of work of a POST must return the ids of what it made.')
  return { ids: ids as string[] }
}

/**
 * The caller with the scope of the rule for reading. The response to the first request did not
 * require its permission either.
 */
export const inScopeOf = ({ scopes }: AccessRule, call: Call): Call => ({
  ...call,
  scope: scopes[call.caller.userType] ?? call.scope
})
