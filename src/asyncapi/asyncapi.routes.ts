import type { FastifyInstance } from 'fastify'
import { documentRoute } from '../platform/openapi/document-route.js'
import { tagResponse } from '../platform/rest/etag.js'
import { asyncApiDocument } from './document.js'

/** The AsyncAPI document of the events, at `/asyncapi.json`. It is public and holds no data. */
export async function asyncApiRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', tagResponse)
  documentRoute(app, '/asyncapi.json', () => asyncApiDocument(app))
}
