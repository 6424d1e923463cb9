import { type EventApi, type EventType, eventTypes } from '../../events/event-types.js'
import type { JsonRecord } from '../../platform/openapi/swagger-schema.js'
import type { ResourceUrls } from '../../platform/rest/resource-urls.js'
import { eventSchema, shapeOf } from './event-schemas.js'
import { feedPart } from './feed-part.js'
import type { AsyncApiPart } from './part.js'
import { webhookPart } from './webhook-part.js'

const description = `What happened to orders, parties, contracts, catalogues and imports, as [CloudEvents 1.0](https://cloudevents.io) in JSON. An event says what happened, not what the resource holds: read it at its \`subject\`. No event names a patient.

There may be more types, and more members, later: ignore what you do not know.`

const apis = Object.keys(eventTypes) as EventApi[]

/** The AsyncAPI 3.0 document of the events, made from the schemas of the code. */
export function asyncApiDocument(resourceUrls: ResourceUrls): JsonRecord {
  const baseUrls = Object.fromEntries(
    [...apis, 'ssl-catalogue-excel'].map((api) => [api, resourceUrls.base(api)])
  )
  const schemas = apis.map((api) =>
    eventTypes[api].map((type: EventType) => [
      type,
      eventSchema(shapeOf(type), resourceUrls.base(api), baseUrls)
    ])
  )
  const parts = [...apis.map((api) => feedPart(api, resourceUrls.base(api))), webhookPart(baseUrls)]
  const all = (name: keyof AsyncApiPart): JsonRecord => Object.assign({}, ...parts.map((part) => part[name]))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'ssl-events',
      version: '1.0.0',
      description,
      contact: { name: 'ssl-order', url: `${resourceUrls.base('ssl-order')}/docs` },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: [{ name: 'Event', description: 'Events of resources.' }]
    },
    defaultContentType: 'application/cloudevents+json',
    servers: all('servers'),
    channels: all('channels'),
    operations: all('operations'),
    components: {
      messages: all('messages'),
      schemas: { ...Object.fromEntries(schemas.flat()), ...all('schemas') },
      securitySchemes: {
        token: {
          type: 'httpApiKey',
          in: 'header',
          name: 'authorization',
          description: 'A JSON Web Token, bare or after `Bearer `.'
        }
      }
    }
  }
}
