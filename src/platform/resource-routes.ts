import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static, TSchema } from '@sinclair/typebox'
import type { AccessRule } from './access.js'
import type { Actor } from './actor.js'
import { fieldProblem, problem } from './problem.js'
import { isId, type ResourceKind } from './reference.js'
import { ById, Empty, NoQuery, problems } from './schemas.js'

export type App = Parameters<FastifyPluginAsyncTypebox>[0]

/** What a resource is called: in tags and operation ids, in sentences, and in addresses. */
export interface ResourceName {
  /** `WhiteList`: tag, and end of the operation ids. */
  type: string
  /** `white list entry`. */
  noun: string
  kind: ResourceKind
}

/**
 * `POST /<resource>`: 201 with the new resource's address in `Location` and no body.
 * @param locate the address of an id; @param run creates the resource and answers its id.
 */
export function createRoute<B extends TSchema>(
  app: App,
  { type, noun, kind }: ResourceName,
  {
    access,
    body,
    locate,
    run
  }: {
    access: AccessRule
    body: B
    locate: (id: string) => string
    run: (actor: Actor, input: Static<B>) => Promise<string>
  }
): void {
  app.post(
    `/${kind.path}`,
    {
      config: { access },
      schema: {
        operationId: `create${type}`,
        summary: `Create a ${noun}`,
        tags: [type],
        querystring: NoQuery,
        body,
        response: { 201: Empty, ...problems(400, 409, 413, 415, 422) }
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
  { type, noun, kind }: ResourceName,
  {
    access,
    body,
    run
  }: {
    access: AccessRule
    body: B
    run: (actor: Actor, id: string, input: Static<B>) => Promise<void>
  }
): void {
  const common = {
    tags: [type],
    querystring: NoQuery,
    body,
    response: { 204: Empty, ...problems(400, 404, 409, 413, 415, 422) }
  }

  app.put(
    `/${kind.path}`,
    {
      config: { access },
      schema: {
        operationId: `replace${type}`,
        summary: `Replace the ${noun} whose id the body holds`,
        ...common
      }
    },
    async (request, reply) => {
      await run(request.actor, idToReplace(request.body as WithId), request.body as Static<B>)
      return reply.code(204).send()
    }
  )

  app.put(
    `/${kind.path}/:id`,
    {
      config: { access },
      schema: { operationId: `replace${type}ById`, summary: `Replace a ${noun}`, params: ById, ...common }
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
  { type, noun, kind }: ResourceName,
  {
    access,
    body,
    run
  }: {
    access: AccessRule
    body: B
    run: (actor: Actor, id: string, patch: Static<B>) => Promise<void>
  }
): void {
  app.patch(
    `/${kind.path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `patch${type}`,
        summary: `Change the ${noun}, or move it to another status`,
        tags: [type],
        consumes: ['application/json', 'application/json-patch+json'],
        params: ById,
        querystring: NoQuery,
        body,
        response: { 204: Empty, ...problems(400, 404, 409, 413, 415, 422) }
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
  { type, noun, kind }: ResourceName,
  {
    access,
    answer,
    run
  }: { access: AccessRule; answer: A; run: (actor: Actor, id: string) => Promise<Static<A>> }
): void {
  const response: Record<number, TSchema> = { 200: answer, ...problems(404) }

  app.get(
    `/${kind.path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `get${type}`,
        summary: `Read a ${noun}`,
        tags: [type],
        params: ById,
        querystring: NoQuery,
        response
      }
    },
    (request) => run(request.actor, request.params.id)
  )
}

/** `DELETE /<resource>/{id}`: 204 without a body; from then on 404. */
export function deleteRoute(
  app: App,
  { type, noun, kind }: ResourceName,
  { access, run }: { access: AccessRule; run: (actor: Actor, id: string) => Promise<void> }
): void {
  app.delete(
    `/${kind.path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `delete${type}`,
        summary: `Delete a ${noun}`,
        tags: [type],
        params: ById,
        querystring: NoQuery,
        response: { 204: Empty, ...problems(404, 409) }
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
