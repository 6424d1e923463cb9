import type { FastifySchema, RouteOptions } from 'fastify'
import type { AccessRule } from '../auth/access-rule.js'

/** Documentation of a route beyond its schemas and access rule. */
export interface RouteDoc {
  /** The effect of the operation and the rules of the use case, in Markdown. */
  description: string
  tagDescription: string
  /** Codes of the problems that the use case throws. */
  errors?: readonly string[]
  /**
   * Whether the path is shown with a slash at its end. Paths are served with and without the slash.
   */
  hasSlash?: boolean
  /** Description of the file in the form field `file`, the only body of the route. */
  upload?: string
  /** Whether the response has the resource with `Prefer: return=representation`. */
  isRepresentable?: boolean
  isConditional?: boolean
}

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
    summary?: string
    tags?: readonly string[]
    /** Media types of bodies. Default: JSON. */
    consumes?: readonly string[]
    /** Media types of successful responses. Default: JSON. */
    produces?: readonly string[]
    security?: readonly object[]
    hide?: boolean
  }
}

export interface DocumentedRoute extends RouteOptions {
  method: string
  config: { access: AccessRule; isSearch?: true; doc: RouteDoc }
  schema: FastifySchema & { tags: readonly [string] }
}

export const isDocumented = (route: RouteOptions): route is DocumentedRoute =>
  route.config?.doc !== undefined &&
  typeof route.config.access === 'object' &&
  route.schema?.hide !== true &&
  route.method !== 'HEAD'

/** Whether a request with an `Idempotency-Key` can be repeated: a POST that writes. */
export const isRepeatable = ({ method, config }: DocumentedRoute): boolean =>
  method === 'POST' && !config.isSearch
