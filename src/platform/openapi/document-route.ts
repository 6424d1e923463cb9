import type { FastifyInstance } from 'fastify'
import { entityTag } from '../util/entity-tags.js'

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/** Serves a public JSON document. Its bytes and its tag are made once, when the server listens. */
export function documentRoute(app: FastifyInstance, path: string, makeDocument: () => object): void {
  let made: { bytes: Buffer; tag: string } | undefined
  const document = () => {
    made ??= taggedBytes(makeDocument())
    return made
  }
  app.addHook('onListen', async () => void document())
  app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    const { bytes, tag } = document()
    return reply.type(JSON_MEDIA_TYPE).header('etag', tag).send(bytes)
  })
}

function taggedBytes(document: object): { bytes: Buffer; tag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, tag: entityTag(null, bytes) }
}
