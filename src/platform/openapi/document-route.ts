import type { FastifyInstance } from 'fastify'
import { entityTag } from '../headers/entity-tags.js'

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/** Serves a public JSON document, which is made when the first request asks for it. */
export function documentRoute(app: FastifyInstance, path: string, makeDocument: () => object): void {
  let document: { bytes: Buffer; tag: string } | undefined
  app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    document ??= taggedBytes(makeDocument())
    return reply.type(JSON_MEDIA_TYPE).header('etag', document.tag).send(document.bytes)
  })
}

function taggedBytes(document: object): { bytes: Buffer; tag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, tag: entityTag(null, bytes) }
}
