import { BATCH_MEDIA_TYPE, FeedQuery } from '../event-api/feed-request.js'
import type { EventApi } from '../ledger/event-types.js'
import { type DocumentedEvent, messageOf, refTo } from './event-schema.js'

interface DocumentedFeed {
  api: EventApi
  events: readonly DocumentedEvent[]
}

/** What operations and schemas of a feed have in their names. */
const FEED_NAMES = { 'ssl-order': 'Order', 'ssl-catalogue': 'Catalogue' } as const satisfies Record<
  EventApi,
  string
>

const pageName = (api: EventApi) => `${FEED_NAMES[api]}EventsPage`

export const feedChannel = ({ api, events }: DocumentedFeed) => ({
  [api]: {
    address: '/events',
    title: `Events of ${api}`,
    description: 'The events that the caller may see: those of resources that it may read.',
    servers: [refTo('servers', api)],
    messages: Object.fromEntries(
      [pageName(api), ...events.map(({ type }) => type)].map((name) => [
        name,
        refTo('components/messages', name)
      ])
    )
  }
})

export const feedOperations = ({ api, events }: DocumentedFeed) => {
  const operation = (summary: string, description: string, messages: readonly string[]) => ({
    action: 'send',
    channel: refTo('channels', api),
    summary,
    description,
    security: [refTo('components/securitySchemes', 'token')],
    bindings: { http: { method: 'GET', query: FeedQuery, bindingVersion: '0.3.0' } },
    messages: messages.map((name) => refTo(`channels/${api}/messages`, name))
  })
  return {
    [`list${FEED_NAMES[api]}Events`]: operation(
      'List events',
      'Sends a page of events, oldest first. Its `Link` with `rel="next"` leads to what follows: going on from there misses nothing and repeats nothing. With `wait` the response waits for an event up to that many seconds.',
      [pageName(api)]
    ),
    [`stream${FEED_NAMES[api]}Events`]: operation(
      'Stream events',
      'Sends events as Server-Sent Events until the token expires or the server shuts down. The `data` of each is an event, its `id` a cursor: go on with `Last-Event-ID` or `after`. A part without `data` only moves the cursor on. Needs `Accept: text/event-stream`.',
      events.map(({ type }) => type)
    )
  }
}

export const pageMessage = ({ api }: DocumentedFeed) => ({
  [pageName(api)]: {
    name: pageName(api),
    title: `Events of ${api}`,
    summary: 'A page of events, oldest first.',
    contentType: BATCH_MEDIA_TYPE,
    headers: {
      type: 'object',
      required: ['link'],
      properties: {
        link: { type: 'string', description: 'URL of what follows, with `rel="next"`.' }
      }
    },
    payload: refTo('components/schemas', pageName(api))
  }
})

export const pageSchema = ({ api, events }: DocumentedFeed) => ({
  [pageName(api)]: {
    type: 'array',
    description: 'Events, oldest first.',
    items: { oneOf: events.map(({ type }) => refTo('components/schemas', type)) }
  }
})

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
      'Sends one event to the target of a subscription, signed after [Standard Webhooks](https://www.standardwebhooks.com). The target responds with a 2xx status within 15 seconds. Otherwise the event is sent again later, and holds back those behind it. An event may come more than once, with the same `webhook-id`.',
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
