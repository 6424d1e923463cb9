import type { FastifyInstance } from 'fastify'
import recorded from '../../asyncapi/events.json' with { type: 'json' }
import { type EventApi, eventTypes } from '../ledger/event-types.js'
import { documentRoute } from '../platform/openapi/document-route.js'
import { etags } from '../platform/rest/etag.js'
import type { ResourceUrls } from '../platform/util/resource-urls.js'

/** Base of the URLs in `asyncapi/events.json`. */
const RECORDED_BASE = 'http://127.0.0.1:3000'

/** The AsyncAPI document of the events, at `/asyncapi.json`. It is public and holds no data. */
export async function asyncApiRoutes(app: FastifyInstance): Promise<void> {
  await app.register(etags)
  documentRoute(app, '/asyncapi.json', () => asyncApiDocument(app.resourceUrls))
}

/** The recorded document, with the servers and the URLs of this installation. */
function asyncApiDocument(resourceUrls: ResourceUrls): object {
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
