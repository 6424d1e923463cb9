import type { FastifyInstance } from 'fastify'
import { etags } from '../../platform/server/etag.js'
import { asyncApiDocument } from './document.js'

/** The AsyncAPI document of the events, at `/asyncapi.json`. It is public and holds no data. */
export async function asyncApiRoutes(app: FastifyInstance): Promise<void> {
  await app.register(etags)
  const document = asyncApiDocument(app.resourceUrls)
  app.get('/asyncapi.json', { config: { access: 'public' } }, async () => document)
}
