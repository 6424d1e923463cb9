import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor, Caller, Scope, UserType } from './actor.js'
import './audit-rule.js'
import { problem } from '../errors/problem.js'
import { AuditContext, type AuditedCall, type Interaction } from './audit-context.js'
import type { RateLimit } from './rate-limit.js'

/** Who may call a route: the permission needed, and for each user type admitted how far it reaches. */
export interface AccessRule {
  permission: Permission
  /** Further permissions that are needed as well. */
  also?: readonly Permission[]
  scopes: Readonly<Partial<Record<UserType, Scope>>>
  /** Whether patient data are read or written: then each request is recorded after the route's audit rule, and no cache keeps the answer. */
  patientData?: true
}

/** `<Resource>.<verb>`; `<Resource>.write` covers create, update and delete, `<Resource>.*` all four. */
export type Permission = `${string}.${'read' | 'create' | 'update' | 'delete'}`

export type Access = 'public' | AccessRule

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

export interface AccessOptions {
  authenticate: Authenticate
  limit: RateLimit
  /** Whether a caller reaches everything where a rule says `administered`; nobody does where it is absent. */
  administersAll?: (caller: Caller) => boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route without it keeps the server from starting. */
    access?: Access
  }
  interface FastifyRequest {
    /** The caller; set on every route that is not public. */
    actor: Actor
    /** What the request touches of patients' data; set once the caller is known, whether or not the call is allowed. */
    auditContext: AuditContext | null
  }
}

/**
 * Enforces the access rule of every route, before the body is read. The same declaration documents the route
 * (`security`), and a route without one makes the start fail.
 */
export const accessControl = fp<AccessOptions>(
  async (app: FastifyInstance, { authenticate, limit, administersAll = () => false }) => {
    const routes: RouteOptions[] = []
    app.decorateRequest('actor')
    app.decorateRequest('trail', null)
    app.addHook('onRoute', (route) => {
      routes.push(route)
      if (typeof route.config?.access === 'object')
        route.schema = { security: [{ token: [] }], ...route.schema }
    })
    app.addHook('onReady', async () => {
      const open = routes.filter((route) => route.config?.access === undefined)
      if (open.length > 0) throw new Error(`Routes without an access rule: ${open.map(nameOf).join(', ')}`)
      const unnamed = routes.filter(({ config }) => isOnPatients(config?.access) && !config?.audit)
      if (unnamed.length > 0)
        throw new Error(`Routes on patients' data without an audit rule: ${unnamed.map(nameOf).join(', ')}`)
    })
    app.addHook('onRequest', async (request, reply) => {
      const rule = request.is404 ? 'public' : request.routeOptions.config.access
      if (rule === 'public') return
      reply.header('cache-control', 'private, no-cache')
      if (rule === undefined) throw problem('forbidden', 'Nobody may call this.')
      const caller = await authenticate(request).catch(async (refusal) => {
        await limit(request)
        throw refusal
      })
      await limit(request, caller)
      const auditContext = new AuditContext(callOf(request), caller)
      request.auditContext = auditContext
      auditContext.addSubjects(request.routeOptions.config.audit?.address?.(request))
      const scope = scopeOf(caller, rule, administersAll(caller))
      request.actor = { ...caller, scope, auditContext, deadline: request.deadline }
    })
    app.addHook('preHandler', async ({ routeOptions, auditContext, body }) => {
      auditContext?.addSubjects(routeOptions.config.audit?.body?.(body))
    })
    app.addHook('onSend', async (request, reply) => {
      if (isAboutPatients(request)) reply.header('cache-control', 'no-store')
    })
  },
  { name: 'access-control', dependencies: ['deadlines'] }
)

/** Whether a request is about patients: by its route, or because it named one. */
export const isAboutPatients = ({ routeOptions, auditContext }: FastifyRequest): boolean =>
  isOnPatients(routeOptions.config.access) || (auditContext?.subjects.length ?? 0) > 0

const isOnPatients = (access: Access | undefined): boolean =>
  typeof access === 'object' && access.patientData === true

function callOf({ id, method, routeOptions }: FastifyRequest): AuditedCall {
  const { operationId = '' } = (routeOptions.schema ?? {}) as { operationId?: string }
  const read = routeOptions.url?.includes('/:id') ? 'read' : 'search-type'
  return { requestId: id, operation: operationId, interaction: interactions[method] ?? read }
}

const interactions: Readonly<Record<string, Interaction>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete'
}

const nameOf = (route: RouteOptions) => `${String(route.method)} ${route.url}`

/**
 * How far the rule lets the caller reach.
 * @param administersAll whether `administered` means everything for this caller.
 * @throws Problem `forbidden` when the user type, the permission or the organization that the rule asks for is missing.
 */
export function scopeOf(caller: Caller, rule: AccessRule, administersAll = false): Scope {
  const scope = rule.scopes[caller.userType]
  if (scope === undefined)
    throw problem('forbidden', `This is for ${Object.keys(rule.scopes).join(' and ')} only.`)
  const lacking = permissionsOf(rule).find((permission) => !hasPermission(caller, permission))
  if (lacking) throw problem('forbidden', `The token lacks the permission ${lacking}.`)
  if (scope === 'administered' && administersAll) return 'any'
  if (scope !== 'any' && caller.organization === undefined)
    throw problem('forbidden', 'The token names no organization (context.organization_id).')
  return scope
}

/** The same caller within the reach of another rule. */
export const authorizeAs = (actor: Actor, rule: AccessRule): Actor => ({
  ...actor,
  scope: scopeOf(actor, rule)
})

/** Whether the rule admits the caller. */
export const canUse = (actor: Caller, rule: AccessRule): boolean =>
  rule.scopes[actor.userType] !== undefined &&
  permissionsOf(rule).every((permission) => hasPermission(actor, permission)) &&
  (rule.scopes[actor.userType] === 'any' || actor.organization !== undefined)

/** All permissions that a rule asks for. */
export const permissionsOf = ({ permission, also = [] }: AccessRule): Permission[] => [permission, ...also]

/** Whether the caller's token carries the permission, by itself or within a wider one. */
export function hasPermission(actor: Caller, permission: Permission): boolean {
  const [resource, verb] = permission.split('.')
  const { permissions } = actor
  return (
    permissions.has(permission) ||
    permissions.has(`${resource}.*`) ||
    (verb !== 'read' && permissions.has(`${resource}.write`))
  )
}
