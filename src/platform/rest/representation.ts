import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRule } from '../auth/access-rule.js'
import type { Call } from '../auth/call.js'
import { isAuthorized } from '../auth/scope.js'
import { Problem } from '../errors/problem.js'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'
import { recordRevision } from './etag.js'
import { inScopeOf } from './run-once.js'

/** The function that reads a written resource, like the route that reads it. */
export interface ResourceView<I = string> {
  access: AccessRule
  response: TSchema
  /** Reads it. Rejects if the caller cannot see the resource. */
  run: (call: Call, id: I) => Promise<unknown>
}

const REPRESENTATION = 'return=representation'

/** Whether a `Prefer` header (RFC 7240) of the request asks for the resource. */
const prefersResource = ({ headers: { prefer } }: FastifyRequest): boolean =>
  [prefer ?? []]
    .flat()
    .flatMap((each) => each.split(','))
    .some((each) => each.split(';')[0]?.replaceAll(/[\s"]/g, '').toLowerCase() === REPRESENTATION)

/**
 * Sets the status of the response to a write, and returns its body. With `Prefer:
 * return=representation` the body is the resource as its GET returns it to this caller, unless the
 * caller may not read it or it cannot be read now.
 * @param created whether to respond with 201 instead of 200 or 204.
 */
export async function respondToWrite<I>(
  request: FastifyRequest,
  reply: FastifyReply,
  { view, id, created = false }: { view: ResourceView<I>; id: I; created?: boolean }
): Promise<unknown> {
  const result = prefersResource(request) ? await readWritten(request, view, id) : undefined
  const resource = recordRevision(request, result)
  const isEmpty = resource === undefined
  reply.code(created ? 201 : isEmpty ? 204 : 200)
  if (!isEmpty) reply.header('preference-applied', REPRESENTATION)
  return resource
}

async function readWritten<I>(
  { state, log }: FastifyRequest,
  view: ResourceView<I>,
  id: I
): Promise<unknown> {
  const { call } = state
  if (!isAuthorized(call.caller, view.access)) return undefined
  try {
    return await view.run(inScopeOf(view.access, call), id)
  } catch (cause) {
    if (!(cause instanceof Problem))
      log.warn(logLine('Cannot read the written resource', { cause: redactError(cause) }))
    return undefined
  }
}
