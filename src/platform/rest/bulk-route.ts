import { type Static, type TArray, type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../auth/access-rule.js'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'
import type { Operation } from '../json/json-patch.js'
import { Empty, NoQuery } from '../schemas/schemas.js'
import { untilDeadline } from '../server/until-deadline.js'
import { type ResourceView, sendWritten } from './representation.js'
import { checkPatchReading } from './resource-routes.js'
import { type App, type ResourceName, type RouteOptions, routeConfig } from './route-config.js'
import { inScopeOf, toCreatedIds } from './run-once.js'

/**
 * `POST /<resources>` with an array: 201 with all created resources in the order of the body, or
 * none is created. Field errors name the index: `/3/item`.
 * @param view reads resources by their ids, for a repeat with the same `Idempotency-Key`.
 */
export function bulkCreateRoute<I extends TSchema, R extends TSchema>(
  app: App & { limits: { bulkBody: number } },
  name: ResourceName,
  {
    path,
    body,
    response,
    example,
    run,
    view,
    ...options
  }: Omit<RouteOptions, 'audit'> & {
    path: string
    body: TArray<I>
    response: R
    example?: readonly object[]
    run: (call: Call, inputs: Static<I>[]) => Promise<Static<R>[]>
    view: { access: AccessRule; run: (call: Call, ids: readonly string[]) => Promise<Static<R>[]> }
  }
): void {
  const { type } = name
  const nouns = path.replaceAll('-', ' ')
  const responses: Record<number, TSchema> = {
    201: Type.Array(response, {
      description: 'What was created, in the order of the body.',
      ...(example && { example })
    })
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
        body,
        response: responses
      }
    },
    untilDeadline(async (request, reply) => {
      const created = await app.runOnce(request, {
        run: (call) => run(call, request.body as Static<I>[]),
        toResult: toCreatedIds,
        repeat: (call, { ids }) => view.run(inScopeOf(view.access, call), ids)
      })
      return reply.code(201).send(created)
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
  const responses = Type.Array(view.response, { description: 'What was changed, in the order of the body.' })
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
      // Each resource has its own revision. To ignore the header would lose concurrent changes.
      if (request.headers['if-match'] !== undefined) throw problem('bad-request.severalRevisions')
      const patches = request.body as Static<B>
      const { call } = request.state
      for (const { patch } of patches) checkPatchReading(call, patch, view)
      return sendWritten(request, reply, { view, id: await run(call, patches) })
    })
  )
}
