import type { FastifyInstance } from 'fastify'
import { eventDocs } from '../event-api/event-docs.js'
import { exampleEvent } from '../event-api/example-event.js'
import { findFamily } from '../event-api/families.js'
import { type EventApi, type EventType, eventTypes } from '../ledger/event-types.js'
import { documentRoute } from '../platform/openapi/serve-documents.js'
import { securityScheme } from '../platform/openapi/writers.js'
import { tagResponse } from '../platform/rest/etag.js'
import { exampleId } from '../platform/schemas/examples.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { subscriptionTest } from '../webhooks/delivery/subscriber.js'
import { subscriptionResource } from '../webhooks/resources.js'
import {
  deliveryChannel,
  deliveryHeaders,
  deliveryOperation,
  feedChannel,
  feedOperations,
  pageMessage,
  pageSchema
} from './channels.js'
import { type DocumentedEvent, eventSchema, messageOf } from './event-schema.js'

/** The AsyncAPI document of the events, at `/asyncapi.json`. It is public and holds no data. */
export async function asyncApiRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', tagResponse)
  documentRoute(app, '/asyncapi.json', () => asyncApiDocument(app))
}

/** Makes the AsyncAPI document of this installation: the feeds, the webhooks and their events. */
export function asyncApiDocument({ resourceUrls, terminology }: Pick<Ports, 'resourceUrls' | 'terminology'>) {
  const feeds = (Object.keys(eventTypes) as EventApi[]).map((api) => ({
    api,
    events: eventTypes[api].map((type) => documentedEvent(resourceUrls, type))
  }))
  const fed = feeds.flatMap(({ events }) => events)
  const delivered = [testEvent(resourceUrls), ...fed]
  const eachFeed = <T>(make: (feed: (typeof feeds)[number]) => Record<string, T>): Record<string, T> =>
    Object.assign({}, ...feeds.map(make))
  const schemas: Record<string, object> = {
    ...byType(delivered, (event) => eventSchema(event, terminology.codes)),
    ...eachFeed(pageSchema),
    ...deliveryHeaders
  }
  return {
    asyncapi: '3.0.0',
    info: infoOf(resourceUrls),
    defaultContentType: 'application/cloudevents+json',
    servers: { ...eachFeed(({ api }) => ({ [api]: serverOf(resourceUrls, api) })), subscriber },
    channels: { ...eachFeed(feedChannel), ...deliveryChannel(delivered) },
    operations: { ...eachFeed(feedOperations), ...deliveryOperation(delivered) },
    components: {
      messages: { ...eachFeed(pageMessage), ...byType(fed, messageOf) },
      schemas,
      securitySchemes: { token: { ...securityScheme, type: 'httpApiKey' } }
    }
  }
}

const byType = <T>(events: readonly DocumentedEvent[], make: (event: DocumentedEvent) => T) =>
  Object.fromEntries(events.map((event) => [event.type, make(event)]))

const documentedEvent = (resourceUrls: ResourceUrls, type: EventType): DocumentedEvent => ({
  type,
  ...eventDocs[type],
  ...findFamily(type),
  example: exampleEvent(resourceUrls, type)
})

const testEvent = (resourceUrls: ResourceUrls): DocumentedEvent => ({
  type: 'subscription.test',
  when: 'A subscription begins, gets another target or is tested.',
  kind: 'Subscription',
  subject: subscriptionResource,
  changes: ['changed'],
  example: subscriptionTest(
    resourceUrls,
    exampleId(subscriptionResource, 'subscription'),
    exampleEvent(resourceUrls, 'order.created')
  )
})

const infoOf = (resourceUrls: ResourceUrls) => ({
  title: 'ssl-events',
  version: '1.0.0',
  description:
    'What happened to orders, parties, contracts, catalogues and imports, as [CloudEvents 1.0](https://cloudevents.io) in JSON. An event says what happened, not what the resource holds: read it at its `subject`. No event names a patient.\n\nThere may be more types, and more members, later: ignore what you do not know.',
  contact: { name: 'ssl-order', url: `${resourceUrls.base('ssl-order')}/docs` },
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  tags: [{ name: 'Event', description: 'Events of resources.' }]
})

function serverOf(resourceUrls: ResourceUrls, api: EventApi) {
  const { host, pathname, protocol } = new URL(resourceUrls.base(api))
  return { host, pathname, protocol: protocol.slice(0, -1), description: `The API ${api}.` }
}

const subscriber = {
  host: '{host}',
  protocol: 'https',
  description: 'The origin of the target of a subscription.',
  variables: { host: { description: 'Host of the target.', examples: ['hooks.example.org'] } }
}
