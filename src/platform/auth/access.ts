import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Call, Scope } from './call.js'
import { type Caller, hasPermission, type Permission, type UserType } from './caller.js'
import './audit-rule.js'
import { joinWords } from '../errors/language.js'
import { type Problem, problem } from '../errors/problem.js'
import { traceparentOf } from '../telemetry/traceparent.js'
import { platformTexts } from '../texts.js'
import { AuditContext, type AuditedCall, type Interaction } from './audit-context.js'
import { authProblem } from './problems.js'
import type { RateLimitCheck } from './rate-limit.js'

/** Who may call a route: the required permission, and the scope of each admitted user type. */
export interface AccessRule {
  permission: Permission
  /** Further required permissions. */
  also?: readonly Permission[]
  /** Permissions each of which admits to a part of the route, instead of the others. */
  alternatives?: readonly Permission[]
  scopes: Readonly<Partial<Record<UserType, Scope>>>
  /**
   * Whether the route reads or writes patient data. Then its requests are audited by the route's
   * audit rule, and responses must not be stored.
   */
  patientData?: true
}

/** `uncounted` is public, and outside the rate limit: health checks and preflight requests. */
export type RouteAccess = 'public' | 'uncounted' | AccessRule

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

export interface AccessOptions {
  authenticate: Authenticate
  limit: RateLimitCheck
  /** Whether the scope `administered` means everything for a caller; by default never. */
  administersAll?: (caller: Caller) => boolean
  /** The organization that has replaced another one, whose tokens are refused; by default none. */
  replacementOf?: (organization: string) => string | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. The server does not start with a route without it. */
    access?: RouteAccess
    /**
     * Set for a POST that only reads: its parameters do not fit into a URL. It is recorded as a
     * search, and ignores an `Idempotency-Key`.
     */
    isSearch?: true
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    call: Call
    /** Subjects for the audit record. Set once the caller is known, even if the call is refused. */
    auditContext: AuditContext | null
  }
}

/**
 * Enforces the access rule of every route, before the body is read. The same declaration documents
 * the route (`security`). The server does not start with a route without one.
 */
export const accessControl = fp<AccessOptions>(
  async (
    app: FastifyInstance,
    { authenticate, limit, administersAll = () => false, replacementOf = () => undefined }
  ) => {
    const routes: RouteOptions[] = []
    app.decorateRequest('call')
    app.decorateRequest('auditContext', null)
    app.addHook('onRoute', (route) => {
      routes.push(route)
      if (typeof route.config?.access === 'object')
        route.schema = { security: [{ token: [] }], ...route.schema }
    })
    app.addHook('onReady', async () => {
      const open = routes.filter((route) => route.config?.access === undefined)
      if (open.length > 0) throw new Error(`Routes without an access rule: ${open.map(nameOf).join(', ')}`)
      const unaudited = routes.filter(({ config }) => isOnPatients(config?.access) && !config?.audit)
      if (unaudited.length > 0)
        throw new Error(`Routes on patient data without an audit rule: ${unaudited.map(nameOf).join(', ')}`)
    })
    app.addHook('onRequest', async (request, reply) => {
      const rule = request.is404 ? 'public' : request.routeOptions.config.access
      if (rule === 'uncounted') return
      if (rule === 'public') return limit(request, reply, 'public')
      reply.header('cache-control', 'private, no-cache')
      if (rule === undefined) throw problem('forbidden')
      const caller = await authenticate(request).catch(async (error) => {
        await limit(request, reply, 'unknown')
        throw error
      })
      await limit(request, reply, caller)
      const auditContext = new AuditContext(callOf(request), caller)
      request.auditContext = auditContext
      auditContext.addSubjects(request.routeOptions.config.audit?.url?.(request))
      const replacement = replacementOf(caller.organization ?? '')
      if (replacement !== undefined)
        throw authProblem('organization-replaced.replacement', null, { replacement })
      const isForAll = administersAll(caller)
      request.call = {
        caller,
        scope: scopeOf(caller, rule, isForAll),
        administersAll: isForAll,
        auditContext,
        deadline: request.deadline,
        traceparent: traceparentOf(request)
      }
    })
    app.addHook('preHandler', ({ routeOptions, auditContext, body }, _reply, done) => {
      auditContext?.addSubjects(routeOptions.config.audit?.body?.(body))
      done()
    })
  },
  { name: 'access-control', dependencies: ['request-limits'] }
)

/** Whether a request concerns patients: by its route, or because it names one. */
export const isAboutPatients = ({ routeOptions, auditContext }: FastifyRequest): boolean =>
  isOnPatients(routeOptions.config.access) || (auditContext?.subjects.length ?? 0) > 0

const isOnPatients = (access: RouteAccess | undefined): boolean =>
  typeof access === 'object' && access.patientData === true

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

const nameOf = (route: RouteOptions) => `${String(route.method)} ${route.url}`

/**
 * The scope that a rule gives the caller.
 * @param administersAll whether `administered` means everything for this caller.
 * @throws Problem `forbidden` when the user type, a permission or the organization is missing.
 */
export function scopeOf(caller: Caller, rule: AccessRule, administersAll = false): Scope {
  const scope = findScope(caller, rule, administersAll)
  if (typeof scope === 'function') throw scope()
  return scope
}

/** Whether a rule admits the caller. */
export const isAuthorized = (caller: Caller, rule: AccessRule): boolean =>
  typeof findScope(caller, rule, false) === 'string'

/** Returns the scope that a rule gives the caller, or a function that makes the problem. */
function findScope(caller: Caller, rule: AccessRule, administersAll: boolean): Scope | (() => Problem) {
  const scope = rule.scopes[caller.userType]
  if (scope === undefined)
    return () =>
      authProblem('forbidden.userType', null, {
        userTypes: joinWords(Object.keys(rule.scopes), platformTexts.and)
      })
  const missing = permissionsOf(rule).find((permission) => !hasPermission(caller, permission))
  const { alternatives = [] } = rule
  if (missing && !alternatives.some((permission) => hasPermission(caller, permission)))
    return () =>
      authProblem('forbidden.permission', null, {
        permissions: joinWords([missing, ...alternatives], platformTexts.or)
      })
  if (scope === 'administered' && administersAll) return 'any'
  if (scope !== 'any' && caller.organization === undefined)
    return () => authProblem('forbidden.noOrganization')
  return scope
}

/** The call with the scope of another rule. */
export const authorizeAs = (call: Call, rule: AccessRule): Call => ({
  ...call,
  scope: scopeOf(call.caller, rule)
})

/** All permissions that a rule requires. */
export const permissionsOf = ({ permission, also = [] }: AccessRule): Permission[] => [permission, ...also]
