import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { acceptedLanguage } from '../headers/negotiation.js'
import { traceparentOf } from '../telemetry/spans.js'
import type { Caller } from './caller.js'
import { scopeOf } from './scope.js'
import { authProblem } from './texts.js'

/** Special rules for callers and organizations. */
export interface AuthorizeOptions {
  /** Whether the scope `administered` means everything for a caller. */
  administersAll: (caller: Caller) => boolean
  /** The organization that has replaced another one, whose tokens are rejected. */
  replacementOf: (organization: string) => string | undefined
}

/** Enforces the access rule of a route, and makes its call. */
export function authorize(
  _app: FastifyInstance,
  { administersAll, replacementOf }: AuthorizeOptions
): onRequestHookHandler {
  return (request, _reply, done) => {
    const { auditContext, deadline } = request.state
    const { access } = request.routeOptions.config
    if (!auditContext || typeof access !== 'object') return done()
    const { caller } = auditContext
    const replacement = replacementOf(caller.organization ?? '')
    if (replacement !== undefined)
      throw authProblem('organization-replaced.replacement', null, { replacement })
    const isForAll = administersAll(caller)
    request.state.call = {
      caller,
      scope: scopeOf(caller, access, isForAll),
      administersAll: isForAll,
      auditContext,
      deadline,
      traceparent: traceparentOf(request),
      language: acceptedLanguage(request.headers['accept-language'])
    }
    done()
  }
}
