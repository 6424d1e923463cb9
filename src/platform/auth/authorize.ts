import type {
  FastifyInstance,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler
} from 'fastify'
import { problem } from '../errors/problem.js'
import { acceptedLanguage } from '../headers/negotiation.js'
import { timed } from '../telemetry/request-timings.js'
import { traceparentOf } from '../telemetry/spans.js'
import { AuditContext, type AuditedCall, type Interaction } from './audit-context.js'
import type { Caller } from './caller.js'
import type { RateLimitCheck } from './rate-limit.js'
import { scopeOf } from './scope.js'
import { authProblem } from './texts.js'

export interface AuthorizeOptions {
  /** Whether the scope `administered` includes everything for a caller. */
  administersAll: (caller: Caller) => boolean
  /** The organization that has replaced another one, whose tokens are rejected. */
  replacementOf: (organization: string) => string | undefined
}

/** Enforces the access rule of a route, and makes the call. */
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

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

/**
 * Identifies the caller, counts the request, and opens its audit record with the subjects in the
 * URL. An unknown URL counts as a public route.
 */
export function identifyCaller(
  _app: FastifyInstance,
  { authenticate, limit }: { authenticate: Authenticate; limit: RateLimitCheck }
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { access, audit } = request.routeOptions.config
    const rule = request.is404 ? 'public' : access
    if (rule === 'uncounted') return
    if (rule === 'public') return limit(request, reply, 'public')
    reply.header('cache-control', 'private, no-cache')
    if (rule === undefined) throw problem('forbidden')
    const caller = await timed('authentication', () => authenticate(request)).catch(async (error) => {
      await limit(request, reply, 'unknown')
      throw error
    })
    await limit(request, reply, caller)
    request.state.auditContext = new AuditContext(callOf(request), caller)
    request.state.auditContext.addSubjects(audit?.url?.(request))
  }
}

function callOf({ id, method, routeOptions }: FastifyRequest): AuditedCall {
  const { operationId = '' } = (routeOptions.schema ?? {}) as { operationId?: string }
  const read = routeOptions.url?.includes('/:id') ? 'read' : 'search-type'
  const write = routeOptions.config.isSearch ? undefined : interactions[method]
  return { requestId: id, operation: operationId, interaction: write ?? read }
}

const interactions: Readonly<Record<string, Interaction>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete'
}
