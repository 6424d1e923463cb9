import type { FastifyInstance } from 'fastify'
import { entityTag } from './entity-tags.js'

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/** Serves a public JSON document. Its bytes and its tag are made once, by the first request. */
export function documentRoute(app: FastifyInstance, path: string, makeDocument: () => object): void {
  let bytes: Buffer | undefined
  let tag = ''
  app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    if (!bytes) {
      bytes = Buffer.from(JSON.stringify(makeDocument()))
      tag = entityTag(null, bytes)
    }
    return reply.type(JSON_MEDIA_TYPE).header('etag', tag).send(bytes)
  })
}
