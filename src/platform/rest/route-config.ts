import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule, RouteAccess } from '../auth/access-rule.js'
import type { AuditRule } from '../auth/audit-rule.js'
import type { RouteDoc } from '../openapi/route-doc.js'
import type { ResourceType } from '../urls/resource-urls.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. The server does not start with a route without it. */
    access?: RouteAccess
    audit?: AuditRule
    /** Without it the documents omit the route. */
    doc?: RouteDoc
    /**
     * A POST that only reads, because its parameters do not fit into a URL. It is recorded as a
     * search, and ignores an `Idempotency-Key`.
     */
    isSearch?: true
    /**
     * Checks valid query parameters. `invalid` names the others.
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
  /** Codes of the problems that it throws. */
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
  /** Whether `If-Match` is supported. */
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

/** Puts the indefinite article before a noun. */
export const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
