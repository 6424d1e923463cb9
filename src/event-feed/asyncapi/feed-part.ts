import { type EventApi, type EventType, eventTypes } from '../../events/event-types.js'
import { BATCH_MEDIA_TYPE, FeedQuery, STREAM_MEDIA_TYPE } from '../feed-request.js'
import { type AsyncApiPart, eventMessage, ref } from './part.js'
import { typeDescriptions } from './type-descriptions.js'

const names: Readonly<Record<EventApi, string>> = {
  'ssl-order': 'OrderEvents',
  'ssl-catalogue': 'CatalogueEvents'
}

const LIST =
  'Sends a page of events, oldest first. Its `Link` with `rel="next"` leads to what follows: going on from there misses nothing and repeats nothing. With `wait` the response waits for an event up to that many seconds.'
const STREAM =
  'Sends events as Server-Sent Events until the token expires or the server shuts down. The `data` of each is an event, its `id` a cursor: go on with `Last-Event-ID` or `after`. A part without `data` only moves the cursor on.'

const security = [{ $ref: '#/components/securitySchemes/token' }]

/** The feed of an API: a page at once or by long polling, or a stream. */
export function feedPart(api: EventApi, baseUrl: string): AsyncApiPart {
  const types: readonly EventType[] = eventTypes[api]
  const { host, pathname, protocol } = new URL(baseUrl)
  const page = `${names[api]}Page`
  const toMessages = (ids: readonly string[]) => ids.map((id) => ref(`channels/${api}/messages/${id}`))
  const operation = (summary: string, description: string, messages: readonly string[]) => ({
    action: 'send',
    channel: ref(`channels/${api}`),
    summary,
    description,
    security,
    bindings: { http: { method: 'GET', query: FeedQuery, bindingVersion: '0.3.0' } },
    messages: toMessages(messages)
  })
  return {
    servers: {
      [api]: { host, pathname, protocol: protocol.slice(0, -1), description: `The API ${api}.` }
    },
    channels: {
      [api]: {
        address: '/events',
        title: `Events of ${api}`,
        description: 'The events that the caller may see: those of resources that it may read.',
        servers: [ref(`servers/${api}`)],
        messages: Object.fromEntries([page, ...types].map((id) => [id, ref(`components/messages/${id}`)]))
      }
    },
    operations: {
      [`list${names[api]}`]: operation('List events', LIST, [page]),
      [`stream${names[api]}`]: operation(
        'Stream events',
        `${STREAM} Needs \`Accept: ${STREAM_MEDIA_TYPE}\`.`,
        types
      )
    },
    messages: {
      [page]: {
        name: page,
        title: `Events of ${api}`,
        summary: 'A page of events, oldest first.',
        contentType: BATCH_MEDIA_TYPE,
        headers: pageHeaders,
        payload: ref(`components/schemas/${page}`)
      },
      ...Object.fromEntries(types.map((type) => [type, eventMessage(type, typeDescriptions[type].when)]))
    },
    schemas: {
      [page]: {
        type: 'array',
        description: 'Events, oldest first.',
        items: { oneOf: types.map((type) => ref(`components/schemas/${type}`)) }
      }
    }
  }
}

const pageHeaders = {
  type: 'object',
  required: ['link'],
  properties: {
    link: { type: 'string', description: 'URL of what follows, with `rel="next"`.' }
  }
}
