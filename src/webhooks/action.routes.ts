import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { TSchema } from '@sinclair/typebox'
import { routeConfig } from '../platform/rest/route-config.js'
import { ById, Empty, NoQuery } from '../platform/schemas/schemas.js'
import { untilDeadline } from '../platform/server/until-deadline.js'
import { subscriptionResource } from './resources.js'
import {
  pauseSubscription,
  resumeSubscription,
  rotateSecret,
  type SubscriptionAction,
  testSubscription
} from './subscription.actions.js'
import { viewSecret } from './subscription.queries.js'
import { runOnSubscription, subscriptionAccess, subscriptionNames } from './subscription.routes.js'
import { NewSecret, TestEventQuery } from './subscription.schemas.js'

interface Action {
  verb: string
  summary: string
  description: string
  errors: readonly string[]
  status: number
  body?: TSchema
  query?: typeof TestEventQuery
  run: SubscriptionAction
}

const actions: readonly Action[] = [
  {
    verb: 'pause',
    summary: 'Pause a subscription',
    description: 'Stops the deliveries. The cursor stays unchanged.',
    errors: ['subscription-stopped'],
    status: 204,
    run: pauseSubscription
  },
  {
    verb: 'resume',
    summary: 'Resume a subscription',
    description:
      'Continues the deliveries of a paused or suspended subscription after the last delivered event, and makes the next attempt at once.',
    errors: ['subscription-stopped', 'cursor-too-old'],
    status: 204,
    run: resumeSubscription
  },
  {
    verb: 'test',
    summary: 'Send a test event',
    description:
      'Sends a `subscription.test` event, or the example of a type of event, to the target before further events. The resource of an example does not exist. The attempts of the subscription show its result.',
    errors: ['subscription-stopped'],
    status: 202,
    query: TestEventQuery,
    run: testSubscription
  },
  {
    verb: 'rotate',
    summary: 'Rotate the secret',
    description:
      'Makes a new secret and returns it once, to callers who may read the events that the subscription delivers. For 24 hours deliveries also have a signature with the former secret, as a second signature in `webhook-signature`. A delivery in flight has no signature with the new secret yet, so keep the former secret for 15 seconds.',
    errors: ['no-secret', 'too-many-secrets', 'webhooks-unavailable'],
    status: 200,
    body: NewSecret,
    run: rotateSecret
  }
]

/** `POST /subscription/{id}/{pause|resume|test|rotate}`. */
export const subscriptionActionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { update } = subscriptionAccess
  for (const { verb, summary, description, errors, status, body, query, run } of actions) {
    const response: Record<number, TSchema> = { [status]: body ?? Empty }
    app.post(
      `/${subscriptionResource.path}/:id/${verb}`,
      {
        config: routeConfig(subscriptionNames, description, { access: update, docs: { errors } }),
        schema: {
          operationId: `${verb}Subscription`,
          summary,
          tags: [subscriptionNames.type],
          params: ById,
          querystring: query ?? NoQuery,
          response
        }
      },
      untilDeadline(async (request, reply) => {
        const ids = await runOnSubscription(app, request, (call) =>
          run(app, call, request.params.id, request.query)
        )
        reply.code(status)
        if (body === undefined) return undefined
        reply.header('cache-control', 'no-store')
        return viewSecret(app, request.state.call, ids)
      })
    )
  }
}
