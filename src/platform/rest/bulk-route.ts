import { type Static, type TArray, type TSchema, Type } from '@sinclair/typebox'
import type { Call } from '../auth/call.js'
import { inputLimits } from '../json/input-limits.js'
import type { Operation } from '../json/json-patch.js'
import { Empty, NoQuery, withExample } from '../schemas/schemas.js'
import { serverProblem } from '../server/texts.js'
import { untilDeadline } from '../server/until-deadline.js'
import { type ResourceView, respondToWrite } from './representation.js'
import { type CreatePorts, checkPatchReading, createRoute } from './resource-routes.js'
import { type App, type ResourceName, type RouteOptions, routeConfig } from './route-config.js'
import { inScopeOf, toCreatedIds } from './run-once.js'

/** A resource to create, and its location in the body of the request. */
export interface CreateEntry<I> {
  input: I
  pointer: string
}

/**
 * `POST /<resource>` and `POST /<resources>` with an array, which creates all or none and returns
 * them in the order of the body. Field errors then name the index: `/3/item`.
 * @param run creates the resources and returns their rows, in the order of the entries.
 * @param view reads a resource, as {@link createRoute}; `viewAll` several for a repeat.
 */
export function createRoutes<I extends TSchema, R extends { id: string }>(
  app: App & CreatePorts & { limits: { bulkBody: number } },
  name: ResourceName,
  {
    path,
    body,
    example,
    run,
    toResource,
    view,
    viewAll,
    ...options
  }: Omit<RouteOptions, 'audit'> & {
    path: string
    body: I
    /** Examples of the bodies of the request and the response with an array. */
    example?: { request: readonly object[]; response: readonly object[] }
    run: (call: Call, entries: readonly CreateEntry<Static<I>>[]) => Promise<readonly R[]>
    toResource: (call: Call, row: R) => object
    view: ResourceView
    viewAll: (call: Call, ids: readonly string[]) => Promise<object[]>
  }
): void {
  createRoute(app, name, {
    ...options,
    body,
    view,
    run: async (call, input) => (await run(call, [{ input, pointer: '' }]))[0]?.id ?? ''
  })
  const { type } = name
  const nouns = path.replaceAll('-', ' ')
  const arrayOf = (schema: TSchema, description: string, each: readonly object[] | undefined) =>
    Type.Array(schema, { description, maxItems: inputLimits.bulkItems, ...withExample(each) })
  const responses: Record<number, TSchema> = {
    201: arrayOf(view.response, 'The created resources, in the order of the body.', example?.response)
  }
  app.post(
    `/${path}`,
    {
      config: routeConfig(
        name,
        `Creates ${nouns}, all or none, and returns them in the same order.`,
        options
      ),
      bodyLimit: app.limits.bulkBody,
      schema: {
        operationId: `create${type}s`,
        summary: `Create ${nouns}, all or none`,
        tags: [type],
        querystring: NoQuery,
        body: arrayOf(body, 'What to create.', example?.request),
        response: responses
      }
    },
    untilDeadline(async (request, reply) => {
      const inputs = request.body as Static<I>[]
      const created = await app.runOnce(request, {
        async run(call) {
          const rows = await run(
            call,
            inputs.map((input, at) => ({ input, pointer: `/${at}` }))
          )
          return rows.map((row) => toResource(call, row))
        },
        toResult: toCreatedIds,
        repeat: (call, { ids }) => viewAll(inScopeOf(view.access, call), ids)
      })
      reply.code(201)
      return created
    })
  )
}

/**
 * `PATCH /<resources>` with a JSON Patch for each of several resources, which apply as a whole.
 * Errors point into the body: `/3/patch/0/value`.
 * @param run changes the resources and returns their ids, in the order of the body.
 */
export function bulkPatchRoute<B extends TArray<TSchema & { static: { patch: Operation[] } }>>(
  app: App,
  name: ResourceName,
  {
    path,
    body,
    run,
    view,
    ...options
  }: RouteOptions & {
    path: string
    body: B
    run: (call: Call, patches: Static<B>) => Promise<readonly string[]>
    view: ResourceView<readonly string[]>
  }
): void {
  const { type, noun } = name
  const nouns = path.replaceAll('-', ' ')
  const responses = Type.Array(view.response, {
    description: 'The changed resources, in the order of the body.'
  })
  const common = `Applies a JSON Patch to each ${noun} of the body, in their order, as \`PATCH\` of the ${noun} does: all take effect, or none. \`If-Match\` is rejected; use \`test\` operations.`
  app.patch(
    `/${path}`,
    {
      config: routeConfig(name, common, { ...options, isRepresentable: true }),
      schema: {
        operationId: `patch${type}s`,
        summary: `Change ${nouns} or their statuses, all or none`,
        tags: [type],
        querystring: NoQuery,
        body,
        response: { 200: responses, 204: Empty } as Record<number, TSchema>
      }
    },
    untilDeadline(async (request, reply) => {
      // Each resource has its own revision. If the server ignored the header, concurrent changes
      // would be lost.
      if (request.headers['if-match'] !== undefined) throw serverProblem('bad-request.severalRevisions')
      const patches = request.body as Static<B>
      const { call } = request.state
      for (const { patch } of patches) checkPatchReading(call, patch, view)
      return respondToWrite(request, reply, { view, id: await run(call, patches) })
    })
  )
}
