import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static, TSchema } from '@sinclair/typebox'
import type { AccessRule } from '../auth/access.js'
import type { Actor } from '../auth/actor.js'
import type { AuditSubject } from '../auth/audit-context.js'
import type { AuditRule } from '../auth/audit-rule.js'
import { fieldProblem, problem } from '../errors/problem.js'
import type { RouteDoc } from '../openapi/operation.js'
import { ById, Empty, NoQuery } from '../schemas/schemas.js'
import { isId, type ResourceType } from './resource-urls.js'

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
interface RouteOptions {
  access: AccessRule
  audit?: AuditRule | undefined
  docs?: RouteDocs | undefined
}

/**
 * The configuration of a route.
 * @param common the common text of its method.
 */
export const routeConfig = (
  { description }: ResourceName,
  common: string,
  { access, audit, docs = {} }: RouteOptions
) => ({ access, ...(audit && { audit }), doc: routeDoc(description, common, docs) })

/** Puts the indefinite article before a noun. */
export const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/**
 * `POST /<resource>`: 201 without a body, with the URL of the new resource in `Location`.
 * @param audit finds the patients and orders that the body names.
 * @param locate makes the URL of an id.
 * @param run creates the resource and returns its id.
 */
export function createRoute<B extends TSchema>(
  app: App,
  name: ResourceName,
  {
    audit,
    body,
    locate,
    run,
    ...options
  }: Omit<RouteOptions, 'audit'> & {
    audit?: (input: Static<B>) => readonly AuditSubject[]
    body: B
    locate: (id: string) => string
    run: (actor: Actor, input: Static<B>) => Promise<string>
  }
): void {
  const { type, noun, resource } = name
  const common = `Creates ${withArticle(noun)} and returns its URL in \`Location\`.`
  const rule: AuditRule | undefined = audit && { body: (input) => audit(input as Static<B>) }
  const config = routeConfig(name, common, { ...options, audit: rule })
  app.post(
    `/${resource.path}`,
    {
      config,
      schema: {
        operationId: `create${type}`,
        summary: `Create ${withArticle(noun)}`,
        tags: [type],
        querystring: NoQuery,
        body,
        response: { 201: Empty }
      }
    },
    async (request, reply) => {
      const id = await run(request.actor, request.body as Static<B>)
      return reply.code(201).header('location', locate(id)).send()
    }
  )
}

/** `PUT /<resource>` (id in the body) and `PUT /<resource>/{id}`: 204 without a body. */
export function replaceRoutes<B extends TSchema>(
  app: App,
  name: ResourceName,
  {
    access,
    docs = {},
    body,
    run
  }: Omit<RouteOptions, 'audit'> & {
    body: B
    run: (actor: Actor, id: string, input: Static<B>) => Promise<void>
  }
): void {
  const { type, noun, resource } = name
  const common = `Replaces the ${noun}. Members that the body omits are cleared. The last writer wins.`
  const configWith = (...errors: string[]) =>
    routeConfig(name, common, { access, docs: { ...docs, errors: [...errors, ...(docs.errors ?? [])] } })
  const shared = {
    tags: [type],
    querystring: NoQuery,
    body,
    response: { 204: Empty }
  }

  app.put(
    `/${resource.path}`,
    {
      config: configWith('not-found'),
      schema: {
        operationId: `replace${type}`,
        summary: `Replace the ${noun} with the id in the body`,
        ...shared
      }
    },
    async (request, reply) => {
      await run(request.actor, idToReplace(request.body as WithId), request.body as Static<B>)
      return reply.code(204).send()
    }
  )

  app.put(
    `/${resource.path}/:id`,
    {
      config: configWith('not-found', 'conflicting-ids'),
      schema: {
        operationId: `replace${type}ById`,
        summary: `Replace ${withArticle(noun)}`,
        params: ById,
        ...shared
      }
    },
    async (request, reply) => {
      await run(
        request.actor,
        idToReplace(request.body as WithId, request.params.id),
        request.body as Static<B>
      )
      return reply.code(204).send()
    }
  )
}

/** `PATCH /<resource>/{id}` with a JSON Patch, which applies as a whole: 204 without a body. */
export function patchRoute<B extends TSchema>(
  app: App,
  name: ResourceName,
  {
    body,
    run,
    ...options
  }: RouteOptions & {
    body: B
    run: (actor: Actor, id: string, patch: Static<B>) => Promise<void>
  }
): void {
  const { type, noun, resource } = name
  const common = `Applies a JSON Patch (RFC 6902) to the ${noun} as GET returns it: all operations take effect, or none. An operation on \`/status\` or \`/status/code\` changes its status. The media type may be \`application/json-patch+json\`.`
  const config = routeConfig(name, common, options)
  app.patch(
    `/${resource.path}/:id`,
    {
      config,
      schema: {
        operationId: `patch${type}`,
        summary: `Change the ${noun} or its status`,
        tags: [type],
        consumes: ['application/json', 'application/json-patch+json'],
        params: ById,
        querystring: NoQuery,
        body,
        response: { 204: Empty }
      }
    },
    async (request, reply) => {
      await run(request.actor, request.params.id, request.body as Static<B>)
      return reply.code(204).send()
    }
  )
}

/** `GET /<resource>/{id}`, the target of `Location` and references. */
export function readRoute<A extends TSchema>(
  app: App,
  name: ResourceName,
  {
    response,
    run,
    ...options
  }: RouteOptions & {
    response: A
    run: (actor: Actor, id: string) => Promise<Static<A>>
  }
): void {
  const { type, noun, resource } = name
  const common = `Returns ${withArticle(noun)} by its id.`
  const config = routeConfig(name, common, options)
  const responses: Record<number, TSchema> = { 200: response }

  app.get(
    `/${resource.path}/:id`,
    {
      config,
      schema: {
        operationId: `get${type}`,
        summary: `Read ${withArticle(noun)}`,
        tags: [type],
        params: ById,
        querystring: NoQuery,
        response: responses
      }
    },
    (request) => run(request.actor, request.params.id)
  )
}

/** `DELETE /<resource>/{id}`: 204 without a body. Later requests for the id get 404. */
export function deleteRoute(
  app: App,
  name: ResourceName,
  { run, ...options }: RouteOptions & { run: (actor: Actor, id: string) => Promise<void> }
): void {
  const { type, noun, resource } = name
  const common = `Deletes ${withArticle(noun)}. Later requests for it get 404.`
  const config = routeConfig(name, common, options)
  app.delete(
    `/${resource.path}/:id`,
    {
      config,
      schema: {
        operationId: `delete${type}`,
        summary: `Delete ${withArticle(noun)}`,
        tags: [type],
        params: ById,
        querystring: NoQuery,
        response: { 204: Empty }
      }
    },
    async (request, reply) => {
      await run(request.actor, request.params.id)
      return reply.code(204).send()
    }
  )
}

interface WithId {
  id?: string | null
}

/**
 * The id of the resource that a PUT replaces, from the path, the body or both.
 * @throws Problem `conflicting-ids` when they differ, `invalid-body` without an id, `not-found` for
 *   a malformed id.
 */
function idToReplace(body: WithId, path?: string): string {
  const id = path ?? body.id
  if (id === undefined || id === null)
    throw fieldProblem(problem, 'invalid-body', '/id', 'In the body: /id is required.')
  if (path && body.id && body.id !== path)
    throw problem('conflicting-ids', 'Send the same id in path and body, or none in the body.')
  if (!isId(id)) throw problem('not-found', 'No resource has this id.')
  return id
}
