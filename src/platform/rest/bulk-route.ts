import { type Static, type TArray, type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../auth/access-rule.js'
import type { Call } from '../auth/call.js'
import { NoQuery } from '../schemas/schemas.js'
import { untilDeadline } from '../server/until-deadline.js'
import { type App, type ResourceName, type RouteOptions, routeConfig } from './route-config.js'
import { inScopeOf, toCreatedIds } from './run-once.js'

/**
 * `POST /<resources>` with an array: 201 with all created resources in the order of the body, or
 * none is created. Field errors name the index: `/3/item`.
 * @param path path segment of the list.
 * @param run creates the resources and returns them.
 * @param view reads them by their ids, for a repeat with the same `Idempotency-Key`.
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
