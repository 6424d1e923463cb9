import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { AccessRule } from '../platform/auth/access-rule.js'
import type { Call } from '../platform/auth/call.js'
import { listRoute } from '../platform/rest/list-route.js'
import { putRoutes } from '../platform/rest/put-routes.js'
import type { ResourceView } from '../platform/rest/representation.js'
import { deleteRoute, readRoute } from '../platform/rest/resource-routes.js'
import { type App, type ResourceName, routeConfig } from '../platform/rest/route-config.js'
import { inScopeOf, toCreatedIds } from '../platform/rest/run-once.js'
import { NoQuery } from '../platform/schemas/schemas.js'
import { untilDeadline } from '../platform/server/until-deadline.js'
import { subscriptionResource } from './resources.js'
import { listSubscriptions, viewSecret, viewSubscription } from './subscription.queries.js'
import {
  CreatedSubscription,
  Subscription,
  SubscriptionInput,
  SubscriptionReplacement
} from './subscription.schemas.js'
import { createSubscription, deleteSubscription, replaceSubscription } from './subscription.service.js'

const scopes = { AdministrativeClerk: 'own', MonitoringResponsible: 'own', Provider: 'own' } as const

/** Access rules of subscriptions: each user type may use the subscriptions of its organization. */
export const subscriptionAccess = {
  create: { permission: 'Subscription.create', scopes },
  read: { permission: 'Subscription.read', scopes },
  update: { permission: 'Subscription.update', scopes },
  delete: { permission: 'Subscription.delete', scopes }
} as const satisfies Record<string, AccessRule>

export const subscriptionNames: ResourceName = {
  type: 'Subscription',
  noun: 'subscription',
  description: 'Subscriptions to events, which are sent to a target (webhooks).',
  resource: subscriptionResource
}

const created =
  'Creates a subscription and returns its URL in `Location`. The response has the secret, which is not shown again. The target gets a signed `subscription.test` event first, and further events once it has responded with a 2xx status. Deliveries follow Standard Webhooks. A mail address gets the numbers of events by type instead, at most every 15 minutes, without a secret.'

/**
 * Runs a POST at most once. Returns the ids of the subscription and the created resources, also to
 * a repeat by a caller who may still see the subscription.
 */
export const runOnSubscription = (
  app: App,
  request: FastifyRequest,
  run: (call: Call) => Promise<readonly string[]>
): Promise<readonly string[]> =>
  app.runOnce(request, {
    run,
    toResult: toCreatedIds,
    async repeat(call, { ids }) {
      await viewSubscription(app, inScopeOf(subscriptionAccess.read, call), ids[0] ?? '')
      return ids
    }
  })

/** Routes of subscriptions, except those that act on them. */
export const subscriptionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { create, read, update, delete: remove } = subscriptionAccess
  const view: ResourceView = {
    access: read,
    response: Subscription,
    run: (call, id) => viewSubscription(app, call, id)
  }
  const response: Record<number, TSchema> = { 201: CreatedSubscription }

  app.post(
    `/${subscriptionResource.path}`,
    {
      config: routeConfig(subscriptionNames, created, {
        access: create,
        docs: { errors: ['target-not-allowed', 'too-many-subscriptions', 'webhooks-unavailable'] }
      }),
      schema: {
        operationId: 'createSubscription',
        summary: 'Create a subscription',
        tags: [subscriptionNames.type],
        querystring: NoQuery,
        body: SubscriptionInput,
        response
      }
    },
    untilDeadline(async (request, reply) => {
      const ids = await runOnSubscription(app, request, (call) => createSubscription(app, call, request.body))
      const [id = ''] = ids
      const secret = ids.length > 1 ? (await viewSecret(app, request.state.call, ids)).secret : null
      reply.code(201).header('location', app.resourceUrls.url(subscriptionResource, id))
      reply.header('cache-control', 'no-store')
      return { id, secret }
    })
  )
  putRoutes(app, subscriptionNames, {
    access: update,
    docs: {
      description:
        'The user type and permissions of this caller decide from then on which events are delivered. Another target gets a test event first, and then the events that the former target did not get.',
      errors: ['target-not-allowed']
    },
    body: SubscriptionReplacement,
    run: (call, id, input) => replaceSubscription(app, call, id, input),
    view
  })
  listRoute<object, string, typeof Subscription>(app, subscriptionNames, {
    path: 'subscriptions',
    access: read,
    filters: {},
    response: Subscription,
    run: (call, _filters, page) => listSubscriptions(app, call, page)
  })
  readRoute(app, subscriptionNames, view)
  deleteRoute(app, subscriptionNames, {
    access: remove,
    run: (call, id) => deleteSubscription(app, call, id)
  })
}
