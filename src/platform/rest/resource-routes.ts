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

/** What a resource is called: in tags and operation ids, in sentences, and in addresses. */
export interface ResourceName {
  /** `WhiteList`: tag, and end of the operation ids. */
  type: string
  /** `white list entry`. */
  noun: string
  /** What such a resource is, in a sentence. */
  description: string
  resource: ResourceType
}

/** What the documentation says of a route besides what all of its kind have in common. */
export interface RouteDocs {
  /** What this use case demands, in sentences. */
  description?: string
  /** Codes of the problems that it raises. */
  errors?: readonly string[]
}

/** The documentation of a route: what all of its kind do, then what this one demands. */
export const routeDoc = (
  tagDescription: string,
  common: string,
  { description, errors = [] }: RouteDocs
): RouteDoc => ({
  description: description === undefined ? common : `${common} ${description}`,
  tagDescription,
  errors
})

/** A noun with its article. */
export const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/**
 * `POST /<resource>`: 201 with the new resource's address in `Location` and no body.
 * @param audit the patients and orders that the body names; @param locate the address of an id;
 * @param run creates the resource and answers its id.
 */
export function createRoute<B extends TSchema>(
  app: App,
  { type, noun, description, resource }: ResourceName,
  {
    access,
    audit,
    docs = {},
    body,
    locate,
    run
  }: {
    access: AccessRule
    audit?: (input: Static<B>) => readonly AuditSubject[]
    docs?: RouteDocs
    body: B
    locate: (id: string) => string
    run: (actor: Actor, input: Static<B>) => Promise<string>
  }
): void {
  const common = `Creates ${withArticle(noun)} and answers its address in \`Location\`.`
  const rule: AuditRule | undefined = audit && { body: (input) => audit(input as Static<B>) }
  const config = { access, ...(rule && { audit: rule }), doc: routeDoc(description, common, docs) }
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

/** `PUT /<resource>` with the id in the body, and `PUT /<resource>/{id}`: full replacement, 204 without a body. */
export function replaceRoutes<B extends TSchema>(
  app: App,
  { type, noun, description, resource }: ResourceName,
  {
    access,
    docs = {},
    body,
    run
  }: {
    access: AccessRule
    docs?: RouteDocs
    body: B
    run: (actor: Actor, id: string, input: Static<B>) => Promise<void>
  }
): void {
  const common = `Replaces the ${noun} as a whole: what the body leaves out is emptied. The last writer wins.`
  const configOf = (...raised: string[]) => ({
    access,
    doc: routeDoc(description, common, { ...docs, errors: [...raised, ...(docs.errors ?? [])] })
  })
  const shared = {
    tags: [type],
    querystring: NoQuery,
    body,
    response: { 204: Empty }
  }

  app.put(
    `/${resource.path}`,
    {
      config: configOf('not-found'),
      schema: {
        operationId: `replace${type}`,
        summary: `Replace the ${noun} whose id the body holds`,
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
      config: configOf('not-found', 'conflicting-ids'),
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

/** `PATCH /<resource>/{id}` with a JSON Patch: all of it takes effect, 204 without a body, or none of it. */
export function patchRoute<B extends TSchema>(
  app: App,
  { type, noun, description, resource }: ResourceName,
  {
    access,
    audit,
    docs = {},
    body,
    run
  }: {
    access: AccessRule
    audit?: AuditRule
    docs?: RouteDocs
    body: B
    run: (actor: Actor, id: string, patch: Static<B>) => Promise<void>
  }
): void {
  const common = `Applies a JSON Patch (RFC 6902), also sent as \`application/json-patch+json\`, to the ${noun} as GET answers it: all of its operations take effect, or none. An operation on \`/status\` or \`/status/code\` moves it to another status.`
  const config = { access, ...(audit && { audit }), doc: routeDoc(description, common, docs) }
  app.patch(
    `/${resource.path}/:id`,
    {
      config,
      schema: {
        operationId: `patch${type}`,
        summary: `Change the ${noun}, or move it to another status`,
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

/** `GET /<resource>/{id}`: what `Location` and references lead to. */
export function readRoute<A extends TSchema>(
  app: App,
  { type, noun, description, resource }: ResourceName,
  {
    access,
    audit,
    docs = {},
    response,
    run
  }: {
    access: AccessRule
    audit?: AuditRule
    docs?: RouteDocs
    response: A
    run: (actor: Actor, id: string) => Promise<Static<A>>
  }
): void {
  const common = `Answers ${withArticle(noun)} by its id.`
  const config = { access, ...(audit && { audit }), doc: routeDoc(description, common, docs) }
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

/** `DELETE /<resource>/{id}`: 204 without a body; from then on 404. */
export function deleteRoute(
  app: App,
  { type, noun, description, resource }: ResourceName,
  {
    access,
    audit,
    docs = {},
    run
  }: {
    access: AccessRule
    audit?: AuditRule
    docs?: RouteDocs
    run: (actor: Actor, id: string) => Promise<void>
  }
): void {
  const common = `Deletes ${withArticle(noun)}; from then on its address answers 404.`
  const config = { access, ...(audit && { audit }), doc: routeDoc(description, common, docs) }
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
 * The id of the resource that a PUT replaces: in the path, in the body, or alike in both.
 * @throws Problem `conflicting-ids` when they differ, `invalid-body` when there is none, `not-found` when it can be no id.
 */
function idToReplace(body: WithId, path?: string): string {
  const id = path ?? body.id
  if (id === undefined || id === null)
    throw fieldProblem(problem, 'invalid-body', '/id', 'In the body: /id is required.')
  if (path && body.id && body.id !== path)
    throw problem('conflicting-ids', 'Send the same id in both, or none in the body.')
  if (!isId(id)) throw problem('not-found', 'No resource has this id.')
  return id
}
