import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'
import { acquireBodyPermit, LARGE_BODY_BYTES } from '../server/bulkhead.js'
import { assertDepth, assertNoDuplicateKeys } from './strict-json.js'

type Done = (error: Error | null, body?: unknown) => void

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses JSON bodies. Refuses broken UTF-8, `__proto__` keys, duplicate members, NUL characters
 * (PostgreSQL cannot store them) and lone surrogates. The route's schema decides on an absent body.
 */
export const jsonBody = fp(
  async (app: FastifyInstance) => {
    const parse = app.getDefaultJsonParser('error', 'error') as (
      request: unknown,
      text: string,
      done: Done
    ) => void
    const read = (request: FastifyRequest, bytes: Buffer, done: Done) => {
      let text: string
      try {
        text = utf8.decode(bytes)
      } catch (cause) {
        return done(problem('malformed-json', 'The body is not UTF-8.', { cause }))
      }
      try {
        assertDepth(text)
      } catch (error) {
        return done(error as Error)
      }
      parse(request, text, (error, body) => {
        // The parser's message quotes the body, which may hold patient data.
        if (error) return done(problem('malformed-json', 'The body is not well-formed JSON.'))
        try {
          assertNoDuplicateKeys(text, body)
        } catch (cause) {
          return done(cause as Error)
        }
        // In valid UTF-8 and JSON only an escape can produce such characters.
        if (text.includes('\\u') && !isStorable(body))
          return done(problem('malformed-text', 'Remove NUL characters and lone surrogates from the body.'))
        done(null, body)
      })
    }
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      ['application/json', 'application/json-patch+json'],
      { parseAs: 'buffer' },
      (request, bytes: Buffer, done) => {
        if (bytes.length === 0) return done(null, undefined)
        if (request.method !== 'PATCH' && isJsonPatch(request.headers['content-type']))
          return done(
            problem(
              'unsupported-media-type',
              'Use PATCH for a JSON Patch, or send the body as application/json.'
            )
          )
        const readBody = () => read(request, bytes, done)
        if (bytes.length < LARGE_BODY_BYTES) return readBody()
        acquireBodyPermit(request, bytes.length).then(readBody).catch(done)
      }
    )
  },
  { name: 'json-body' }
)

const isJsonPatch = (mediaType: string | undefined) =>
  mediaType?.toLowerCase().startsWith('application/json-patch+json')

/** Whether every string in a value, keys included, is well-formed Unicode without NUL. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (Array.isArray(value)) return value.every(isStorable)
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
