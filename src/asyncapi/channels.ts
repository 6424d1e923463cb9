import { type DocumentedEvent, messageOf, refTo } from './event-schema.js'

const CHANNEL = 'subscription-target'
const HEADERS = 'DeliveryHeaders'

export const deliveryChannel = (events: readonly DocumentedEvent[]) => ({
  [CHANNEL]: {
    address: '{path}',
    title: 'Target of a subscription',
    description: 'The `target` of `POST /ssl-order/v1/subscription`.',
    servers: [refTo('servers', 'subscriber')],
    parameters: { path: { description: 'Path of the target.', examples: ['/ssl'] } },
    messages: Object.fromEntries(
      events.map((event) => [
        event.type,
        { ...messageOf(event), headers: refTo('components/schemas', HEADERS) }
      ])
    )
  }
})

export const deliveryOperation = (events: readonly DocumentedEvent[]) => ({
  deliverEvent: {
    action: 'send',
    channel: refTo('channels', CHANNEL),
    summary: 'Deliver an event',
    description:
      'Sends one event to the target of a subscription, signed after [Standard Webhooks](https://www.standardwebhooks.com). The target responds with a 2xx status within 15 seconds. Otherwise the event is sent again later, and the following events wait for it. An event may be delivered more than once, with the same `webhook-id`.',
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    messages: events.map(({ type }) => refTo(`channels/${CHANNEL}/messages`, type))
  }
})

const header = (description: string, pattern: string, example: string) => ({
  type: 'string',
  description,
  pattern,
  examples: [example]
})

/** The headers of a delivery, after Standard Webhooks. */
export const deliveryHeaders = {
  [HEADERS]: {
    type: 'object',
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    properties: {
      'webhook-id': header(
        'Id of the event, the same in every attempt.',
        '^[^.]+$',
        '019f5a3e-7c00-7000-8000-000000000001'
      ),
      'webhook-timestamp': header('Time of the attempt, in seconds since 1970.', '^[0-9]+$', '1772439700'),
      'webhook-signature': header(
        'Signatures of `webhook-id.webhook-timestamp.body` by HMAC-SHA256, each with `v1,` before it, separated by spaces. There are several while a secret is replaced.',
        '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$',
        'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='
      )
    }
  }
}
