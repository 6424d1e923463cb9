import { type EventType, eventTypes } from '../../events/event-types.js'
import type { JsonRecord } from '../../platform/openapi/swagger-schema.js'
import { subscriptionResource } from '../webhooks/resources.js'
import { type EventShape, eventSchema } from './event-schemas.js'
import { type AsyncApiPart, eventMessage, ref } from './part.js'
import { typeDescriptions } from './type-descriptions.js'

const CHANNEL = 'subscription-target'

const testShape: EventShape = {
  type: 'subscription.test',
  kind: 'Subscription',
  subject: subscriptionResource,
  when: 'A subscription begins, gets another target or is tested.',
  changes: ['changed']
}

const description =
  'Sends one event to the target of a subscription, signed after [Standard Webhooks](https://www.standardwebhooks.com). The target responds with a 2xx status within 15 seconds. Otherwise the event is sent again later, and holds back those behind it. An event may come more than once, with the same `webhook-id`.'

/** The deliveries to the targets of subscriptions, of the types of both APIs. */
export function webhookPart(baseUrls: Readonly<Record<string, string>>): AsyncApiPart {
  const types: readonly EventType[] = Object.values(eventTypes).flat()
  const messages = [
    eventMessage(testShape.type, testShape.when),
    ...types.map((type) => eventMessage(type, typeDescriptions[type].when))
  ].map((message) => ({ ...message, headers: ref('components/schemas/DeliveryHeaders') }))
  return {
    servers: {
      subscriber: {
        host: '{host}',
        protocol: 'https',
        description: 'The origin of the target of a subscription.',
        variables: { host: { description: 'Host of the target.', examples: ['hooks.example.org'] } }
      }
    },
    channels: {
      [CHANNEL]: {
        address: '{path}',
        title: 'Target of a subscription',
        description: 'The `target` of `POST /ssl-order/v1/subscription`.',
        servers: [ref('servers/subscriber')],
        parameters: { path: { description: 'Path of the target.', examples: ['/ssl'] } },
        messages: Object.fromEntries(messages.map((message) => [message.name, message]))
      }
    },
    operations: {
      deliverEvent: {
        action: 'send',
        channel: ref(`channels/${CHANNEL}`),
        summary: 'Deliver an event',
        description,
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: messages.map(({ name }) => ref(`channels/${CHANNEL}/messages/${name}`))
      }
    },
    messages: {},
    schemas: {
      [testShape.type]: eventSchema(testShape, baseUrls[subscriptionResource.api] ?? '', baseUrls),
      DeliveryHeaders: deliveryHeaders
    }
  }
}

const header = (description: string, example: string, pattern: string): JsonRecord => ({
  type: 'string',
  description,
  pattern,
  examples: [example]
})

const deliveryHeaders = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': header(
      'Id of the event, the same in every attempt.',
      '019f5a3e-7c00-7000-8000-000000000001',
      '^[^.]+$'
    ),
    'webhook-timestamp': header('Time of the attempt, in seconds since 1970.', '1772439700', '^[0-9]+$'),
    'webhook-signature': header(
      'Signatures of `webhook-id.webhook-timestamp.body` by HMAC-SHA256, each with `v1,` before it, separated by spaces. There are several while a secret is replaced.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$'
    )
  }
}
