import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, RouteOptions as RegisteredRoute } from 'fastify'
import { type AccessRule, isOnPatients, type RouteAccess } from '../auth/access-rule.js'
import type { AuditRule } from '../auth/audit-rule.js'
import type { RouteDoc } from '../openapi/route-doc.js'
import { isBounded } from '../server/until-deadline.js'
import type { ResourceType } from '../urls/resource-urls.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access rule of the route. The server does not start with a route without a rule. */
    access?: RouteAccess
    audit?: AuditRule
    /** Without documentation the documents omit the route. */
    doc?: RouteDoc
    /**
     * Whether the route is a POST that only reads, because its parameters do not fit into a URL.
     * Such a POST is recorded as a search, and ignores an `Idempotency-Key`.
     */
    isSearch?: true
    /**
     * Checks valid query parameters. `invalid` names the invalid ones.
     * @throws Problem `invalid-query`.
     */
    checkQuery?(query: object, invalid: readonly string[]): void
  }
}

export type App = Parameters<FastifyPluginAsyncTypebox>[0]

/** Names of a resource in tags, operation ids, sentences and paths. */
export interface ResourceName {
  /** Tag and suffix of the operation ids: `WhiteList`. */
  type: string
  /** Noun in sentences: `white list entry`. */
  noun: string
  /** Description of the tag, in a sentence. */
  description: string
  resource: ResourceType
  /** Whether the documents show the path without an id with a slash at its end. */
  hasSlash?: true
}

/** Documentation of a route beyond the common text of its method. */
export interface RouteDocs {
  /** Rules of this use case, in sentences. */
  description?: string
  errors?: readonly string[]
}

/** Joins the common text of a method and the documentation of a route. */
export const routeDoc = (
  tagDescription: string,
  common: string,
  { description, errors = [] }: RouteDocs
): RouteDoc => ({
  description: description === undefined ? common : `${common} ${description}`,
  tagDescription,
  errors
})

/** The members that the options of all routes share. */
export interface RouteOptions {
  access: AccessRule
  audit?: AuditRule | undefined
  docs?: RouteDocs | undefined
  /** Whether `Prefer: return=representation` is supported. */
  isRepresentable?: boolean
  isConditional?: boolean
  /** Whether the documents show a slash at the end of the path. */
  hasSlash?: boolean | undefined
}

/** The configuration of a route. `common` is the common text of its method. */
export const routeConfig = (
  { description }: ResourceName,
  common: string,
  { access, audit, docs = {}, isRepresentable = false, isConditional = false, hasSlash = false }: RouteOptions
) => ({
  access,
  ...(audit && { audit }),
  doc: { ...routeDoc(description, common, docs), isRepresentable, isConditional, hasSlash }
})

export const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** Checks of missing parts of a route, by the message of the error. */
const faults: Readonly<Record<string, (route: RegisteredRoute) => boolean>> = {
  'Routes without an access rule': ({ config }) => config?.access === undefined,
  'Routes on patient data without an audit rule': ({ config }) =>
    isOnPatients(config?.access) && !config?.audit,
  'Routes whose handlers have no deadline': ({ config, handler }) =>
    typeof config?.access === 'object' && !isBounded(handler)
}

/**
 * The server does not start with a route that lacks an access rule, or a part that the rule
 * requires.
 */
export function checkRoutes(app: FastifyInstance): void {
  const routes: RegisteredRoute[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
    if (typeof route.config?.access === 'object')
      route.schema = { security: [{ token: [] }], ...route.schema }
  })
  app.addHook('onReady', async () => {
    for (const [message, isFaulty] of Object.entries(faults)) {
      const names = routes.filter(isFaulty).map(({ method, url }) => `${String(method)} ${url}`)
      if (names.length > 0) throw new Error(`${message}: ${names.join(', ')}`)
    }
  })
}
