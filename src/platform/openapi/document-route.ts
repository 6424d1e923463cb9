import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { entityTag } from '../util/entity-tags.js'

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/** Milliseconds before each document is made, in which the server answers requests. */
const PAUSE_MS = 500

/** The documents made so far. A large one holds the event loop for a tenth of a second. */
let made: Promise<unknown> = Promise.resolve()

/**
 * Serves a public JSON document. Its bytes and its tag are made once: after the server began to
 * listen, one document at a time, or when the first request asks for it.
 */
export function documentRoute(app: FastifyInstance, path: string, makeDocument: () => object): void {
  let tagged: { bytes: Buffer; tag: string } | undefined
  const document = () => {
    tagged ??= taggedBytes(makeDocument())
    return tagged
  }
  app.addHook('onListen', async () => {
    // An error is that of the request, which tries again.
    made = made
      .then(() => pause(PAUSE_MS, undefined, { ref: false }))
      .then(document)
      .catch(() => {})
  })
  app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    const { bytes, tag } = document()
    return reply.type(JSON_MEDIA_TYPE).header('etag', tag).send(bytes)
  })
}

function taggedBytes(document: object): { bytes: Buffer; tag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, tag: entityTag(null, bytes) }
}
