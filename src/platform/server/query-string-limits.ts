import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'

/** Limits the query string, and refuses URLs with NUL characters or broken percent escapes. */
export const queryStringLimits = fp<{ maxQueryBytes: number }>(
  async (app: FastifyInstance, { maxQueryBytes }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      const url = request.raw.url ?? ''
      const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
      if (query.length > maxQueryBytes)
        throw problem('query-too-long', `Maximum length of the query string: ${maxQueryBytes} bytes.`)
      if (/%00/.test(url)) throw problem('malformed-text', 'Remove NUL characters from the URL.')
      if (!isDecodable(query))
        throw problem('invalid-query', 'Send valid percent escapes in the query string.')
      done()
    })
  },
  { name: 'query-string-limits' }
)

function isDecodable(query: string): boolean {
  try {
    return decodeURIComponent(query) !== undefined
  } catch {
    return false
  }
}
