import type { FastifyInstance } from 'fastify'
import { eventDocOf } from '../event-api/event-docs.js'
import { exampleEvent } from '../event-api/example-event.js'
import { findEventFamily } from '../event-api/families.js'
import { type EventType, eventTypes } from '../ledger/event-types.js'
import { documentRoute } from '../platform/openapi/serve-documents.js'
import { tagResponse } from '../platform/rest/etag.js'
import { exampleId } from '../platform/schemas/examples.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { subscriptionTest } from '../webhooks/delivery/subscriber.js'
import { subscriptionResource } from '../webhooks/resources.js'
import { deliveryChannel, deliveryHeaders, deliveryOperation } from './channels.js'
import { type DocumentedEvent, eventSchema } from './event-schema.js'

/**
 * The AsyncAPI document of the events, at `/asyncapi.json`. The document is public and contains no
 * data.
 */
export async function asyncApiRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', tagResponse)
  documentRoute(app, '/asyncapi.json', () => asyncApiDocument(app))
}

/**
 * Makes the AsyncAPI document of this installation: the types of events, and their delivery to
 * subscriptions. The feeds are in the OpenAPI documents.
 */
export function asyncApiDocument({ resourceUrls, terminology }: Pick<Ports, 'resourceUrls' | 'terminology'>) {
  const fed = Object.values(eventTypes).flat()
  const events = [testEvent(resourceUrls), ...fed.map((type) => documentedEvent(resourceUrls, type))]
  const schemas: Record<string, object> = {
    ...Object.fromEntries(events.map((event) => [event.type, eventSchema(event, terminology.codes)])),
    ...deliveryHeaders
  }
  return {
    asyncapi: '3.0.0',
    info: infoOf(resourceUrls),
    defaultContentType: 'application/cloudevents+json',
    servers: { subscriber },
    channels: deliveryChannel(events),
    operations: deliveryOperation(events),
    components: { schemas }
  }
}

const documentedEvent = (resourceUrls: ResourceUrls, type: EventType): DocumentedEvent => ({
  type,
  ...eventDocOf(type),
  ...findEventFamily(type),
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

const subscriber = {
  host: '{host}',
  protocol: 'https',
  description: 'The origin of the target of a subscription.',
  variables: { host: { description: 'Host of the target.', examples: ['hooks.example.org'] } }
}
