import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor, Scope, UserType } from './actor.js'
import { problem } from './problem.js'

/** Who may call a route: the permission needed, and for each user type admitted how far it reaches. */
export interface AccessRule {
  permission: Permission
  scopes: Readonly<Partial<Record<UserType, Scope>>>
  /** Whether patient data are read or written: then no answer is kept by a cache. */
  patientData?: true
}

/** `<Resource>.<verb>`; `<Resource>.write` covers create, update and delete, `<Resource>.*` all four. */
export type Permission = `${string}.${'read' | 'create' | 'update' | 'delete'}`

export type Access = 'public' | AccessRule

export type Authenticate = (request: FastifyRequest) => Promise<Actor>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route without it keeps the server from starting. */
    access?: Access
  }
  interface FastifyRequest {
    /** The caller; set on every route that is not public. */
    actor: Actor
  }
}

/**
 * Enforces the access rule of every route, before the body is read. The same declaration documents the route
 * (`security`), and a route without one makes the start fail.
 */
export const accessControl = fp<{ authenticate: Authenticate }>(
  async (app: FastifyInstance, { authenticate }) => {
    const routes: RouteOptions[] = []
    app.decorateRequest('actor')
    app.addHook('onRoute', (route) => {
      routes.push(route)
      if (typeof route.config?.access === 'object')
        route.schema = { security: [{ token: [] }], ...route.schema }
    })
    app.addHook('onReady', async () => {
      const open = routes.filter((route) => route.config?.access === undefined)
      if (open.length > 0) throw new Error(`Routes without an access rule: ${open.map(nameOf).join(', ')}`)
    })
    app.addHook('onRequest', async (request, reply) => {
      const rule = request.is404 ? 'public' : request.routeOptions.config.access
      if (rule === 'public') return
      reply.header('cache-control', isAboutPatients(request, rule) ? 'no-store' : 'private, no-cache')
      if (rule === undefined) throw problem('forbidden', 'Nobody may call this.')
      request.actor = admit(await authenticate(request), rule)
    })
  },
  { name: 'access-control' }
)

/** A query that names a patient makes its answer one about a patient, whatever the route. */
const isAboutPatients = (request: FastifyRequest, rule: AccessRule | undefined) =>
  rule?.patientData === true || 'patient' in (request.query as object)

const nameOf = (route: RouteOptions) => `${String(route.method)} ${route.url}`

/**
 * The caller with the scope that the rule grants.
 * @throws Problem `forbidden` when the user type, the permission or the organization that the rule asks for is missing.
 */
export function admit(actor: Actor, rule: AccessRule): Actor {
  const scope = rule.scopes[actor.userType]
  if (scope === undefined)
    throw problem('forbidden', `This is for ${Object.keys(rule.scopes).join(' and ')} only.`)
  if (!holds(actor, rule.permission))
    throw problem('forbidden', `The token lacks the permission ${rule.permission}.`)
  if (scope !== 'any' && actor.organization === undefined)
    throw problem('forbidden', 'The token names no organization (context.organization_id).')
  return { ...actor, scope }
}

/** Whether the rule admits the caller. */
export const isAdmitted = (actor: Actor, rule: AccessRule): boolean =>
  rule.scopes[actor.userType] !== undefined &&
  holds(actor, rule.permission) &&
  (rule.scopes[actor.userType] === 'any' || actor.organization !== undefined)

/** Whether the caller's token carries the permission, by itself or within a wider one. */
export function holds(actor: Actor, permission: Permission): boolean {
  const [resource, verb] = permission.split('.')
  const { permissions } = actor
  return (
    permissions.has(permission) ||
    permissions.has(`${resource}.*`) ||
    (verb !== 'read' && permissions.has(`${resource}.write`))
  )
}
