import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../errors/problem.js'
import { assertBounds, isStorable, maxBulkMembers } from '../json/json-bounds.js'
import { jsonProblem } from '../json/texts.js'
import { LARGE_BODY_BYTES, takeBodySlot } from '../server/check-body.js'
import { readBytes } from '../server/read-body.js'
import { digestOf, hasIdempotencyKey } from './run-once.js'

type DefaultParser = (
  request: unknown,
  text: string,
  done: (error: Error | null, body?: unknown) => void
) => void

/**
 * Parses JSON bodies. Rejects broken UTF-8, `__proto__` keys, NUL characters (PostgreSQL cannot
 * store them) and lone surrogates.
 */
export async function parseJson(app: FastifyInstance): Promise<void> {
  const parseWithoutProto = app.getDefaultJsonParser('error', 'error') as DefaultParser

  async function readBody(request: FastifyRequest, payload: Readable): Promise<unknown> {
    const bytes = await readBytes(request, payload)
    if (bytes.length === 0) return undefined
    if (request.method !== 'PATCH' && isJsonPatch(request.headers['content-type']))
      throw problem('unsupported-media-type.jsonPatch')
    if (bytes.length >= LARGE_BODY_BYTES) await takeBodySlot(request, bytes.length)
    if (hasIdempotencyKey(request)) request.state.bodyDigest = digestOf(bytes)
    if (!isUtf8(bytes)) throw jsonProblem('malformed-json.notUtf8')
    const text = bytes.toString()
    assertBounds(text, isBulk(request) ? maxBulkMembers(text) : undefined)
    const body = parse(parseWithoutProto, text)
    // In valid UTF-8 and JSON only an escape can produce such characters.
    if (text.includes('\\u') && !isStorable(body)) throw problem('malformed-text')
    return body
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'application/json-patch+json'], readBody)
}

function parse(parser: DefaultParser, text: string): unknown {
  let parsed: unknown
  parser(undefined, text, (error, body) => {
    // The parser's message quotes the body, which may contain patient data. In well-formed JSON it
    // rejects only members of prototypes.
    if (error) throw jsonProblem(isJson(text) ? 'malformed-json.prototypeMember' : 'malformed-json')
    parsed = body
  })
  return parsed
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether the route accepts larger bodies than other routes. */
const isBulk = ({ server, routeOptions }: FastifyRequest): boolean =>
  (routeOptions.bodyLimit ?? 0) > (server.initialConfig.bodyLimit ?? 0)

const isJsonPatch = (mediaType: string | undefined) =>
  mediaType?.toLowerCase().startsWith('application/json-patch+json')
