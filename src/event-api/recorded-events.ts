import recorded from '../../asyncapi/events.json' with { type: 'json' }
import { type EventApi, type EventType, eventTypes } from '../ledger/event-types.js'
import type { ResourceUrls } from '../platform/util/resource-urls.js'
import type { CloudEvent } from './event-feed.schemas.js'

/** Base of the URLs in `asyncapi/events.json`. */
const RECORDED_BASE = 'http://127.0.0.1:3000'

/** The recorded document, with the servers and the URLs of this installation. */
export function asyncApiDocument(resourceUrls: ResourceUrls): typeof recorded {
  const apis = Object.keys(eventTypes) as EventApi[]
  const text = apis.reduce(
    (json, api) => json.replaceAll(`${RECORDED_BASE}/${api}/v1`, resourceUrls.base(api)),
    JSON.stringify(recorded)
  )
  const document: typeof recorded = JSON.parse(text)
  for (const api of apis) {
    const { host, pathname, protocol } = new URL(resourceUrls.base(api))
    Object.assign(document.servers[api], { host, pathname, protocol: protocol.slice(0, -1) })
  }
  return document
}

/** The example of a type of event. What it is about does not exist. */
export function exampleEvent(resourceUrls: ResourceUrls, type: EventType): CloudEvent {
  const { schemas } = asyncApiDocument(resourceUrls).components
  const [example] = schemas[type].examples as readonly unknown[]
  const { traceparent: _, ...event } = example as CloudEvent
  return event
}
