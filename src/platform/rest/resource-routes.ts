import type { Static, TSchema } from '@sinclair/typebox'
import type { AuditSubject } from '../auth/audit-context.js'
import type { AuditRule } from '../auth/audit-rule.js'
import type { Call } from '../auth/call.js'
import { isAuthorized } from '../auth/scope.js'
import { authProblem } from '../auth/texts.js'
import { Problem } from '../errors/problem.js'
import { hasSource, type Operation } from '../json/json-patch.js'
import { pointIntoPatch } from '../json/point-into-patch.js'
import { ById, Empty, NoQuery } from '../schemas/schemas.js'
import { untilDeadline } from '../server/until-deadline.js'
import type { ResourceUrls } from '../urls/resource-urls.js'
import { conditionalCall, recordRevision } from './etag.js'
import { type ResourceView, respondToWrite } from './representation.js'
import type { Versioned } from './revision.js'
import { type App, type ResourceName, type RouteOptions, routeConfig, withArticle } from './route-config.js'
import { inScopeOf, toCreatedIds } from './run-once.js'

export interface CreatePorts {
  resourceUrls: ResourceUrls
}

/**
 * `POST /<resource>`: 201 with the URL of the new resource in `Location`.
 * @param audit finds the patients and orders that the body names.
 * @param run creates the resource and returns its id.
 * @param view reads it, for the response and for a repeat with the same `Idempotency-Key`.
 */
export function createRoute<B extends TSchema>(
  app: App & CreatePorts,
  name: ResourceName,
  {
    audit,
    body,
    run,
    view,
    ...options
  }: Omit<RouteOptions, 'audit'> & {
    audit?: (input: Static<B>) => readonly AuditSubject[]
    body: B
    run: (call: Call, input: Static<B>) => Promise<string>
    view: ResourceView
  }
): void {
  const { type, noun, resource, hasSlash } = name
  const common = `Creates ${withArticle(noun)} and returns its URL in \`Location\`.`
  const rule: AuditRule | undefined = audit && { body: (input) => audit(input as Static<B>) }
  const config = routeConfig(name, common, { ...options, audit: rule, isRepresentable: true, hasSlash })
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
        response: { 201: view.response } as Record<number, TSchema>
      }
    },
    untilDeadline(async (request, reply) => {
      const id = await app.runOnce(request, {
        run: (call) => run(call, request.body as Static<B>),
        toResult: toCreatedIds,
        async repeat(call, { ids: [id = ''] }) {
          await view.run(inScopeOf(view.access, call), id)
          return id
        }
      })
      reply.header('location', app.resourceUrls.url(resource, id))
      return respondToWrite(request, reply, { view, id, created: true })
    })
  )
}

/** `PATCH /<resource>/{id}` with a JSON Patch, which applies as a whole. */
export function patchRoute<B extends TSchema>(
  app: App,
  name: ResourceName,
  {
    body,
    run,
    view,
    ...options
  }: RouteOptions & {
    body: B
    run: (call: Call, id: string, patch: Static<B>) => Promise<void>
    view: ResourceView
  }
): void {
  const { type, noun, resource } = name
  const common = `Applies a JSON Patch (RFC 6902) to the ${noun} as GET returns it: all operations take effect, or none. The operations \`test\`, \`move\` and \`copy\` need \`${view.access.permission}\`. An operation on \`/status\` or \`/status/code\` changes its status. The media type may be \`application/json-patch+json\`.`
  const config = routeConfig(name, common, { ...options, isRepresentable: true, isConditional: true })
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
        response: { 200: view.response, 204: Empty } as Record<number, TSchema>
      }
    },
    untilDeadline(async (request, reply) => {
      const { id } = request.params
      const patch = request.body as Static<B> & Operation[]
      checkPatchReading(request.state.call, patch, view)
      await run(conditionalCall(request), id, patch).catch((cause) => {
        throw cause instanceof Problem ? pointIntoPatch(cause, patch) : cause
      })
      return respondToWrite(request, reply, { view, id })
    })
  )
}

/**
 * A response discloses a value that an operation reads, so the caller needs the right to read the
 * resource.
 * @throws Problem `forbidden`.
 */
export function checkPatchReading(
  { caller }: Call,
  patch: readonly Operation[],
  { access }: Pick<ResourceView, 'access'>
): void {
  if (patch.some((each) => each.op === 'test' || hasSource(each)) && !isAuthorized(caller, access))
    throw authProblem('forbidden.readingPatch', null, { permission: access.permission })
}

/** `GET /<resource>/{id}`, the target of `Location` and references. */
export function readRoute<A extends TSchema, Q extends TSchema = typeof NoQuery>(
  app: App,
  name: ResourceName,
  {
    response,
    query,
    run,
    ...options
  }: RouteOptions & {
    response: A
    query?: Q
    run: (call: Call, id: string, query: Static<Q>) => Promise<Static<A> | Versioned<Static<A>>>
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
        querystring: query ?? NoQuery,
        response: responses
      }
    },
    untilDeadline(async (request) =>
      recordRevision(request, await run(request.state.call, request.params.id, request.query as Static<Q>))
    )
  )
}

/** `DELETE /<resource>/{id}`: 204 without a body. Later requests for the id get 404. */
export function deleteRoute(
  app: App,
  name: ResourceName,
  { run, ...options }: RouteOptions & { run: (call: Call, id: string) => Promise<void> }
): void {
  const { type, noun, resource } = name
  const common = `Deletes ${withArticle(noun)}. Later requests for it get 404.`
  const config = routeConfig(name, common, { ...options, isConditional: true })
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
    untilDeadline(async (request, reply) => {
      await run(conditionalCall(request), request.params.id)
      reply.code(204)
    })
  )
}
