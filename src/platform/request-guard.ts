import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { logLine } from './log.js'
import { problem } from './problem.js'

/**
 * Bounds every request's query string, gives every answer its request id, and logs each request by its route. Who was answered before the
 * whole request came may go on sending for the time of a request: Node itself would wait for ever.
 */
export const requestGuard = fp<{ queryLimit: number; requestTimeout: number }>(
  async (app: FastifyInstance, { queryLimit, requestTimeout }) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id)
      const { url } = request.raw
      const query = url?.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
      if (query.length > queryLimit)
        throw problem('query-too-long', `A query string has ${queryLimit} bytes at most.`)
      if (/%00/.test(url ?? '')) throw problem('malformed-text', 'The address holds a NUL character.')
      if (!isDecodable(query))
        throw problem('invalid-query', 'The query string holds a broken percent escape.')
    })
    app.addHook('onResponse', async ({ raw }) => {
      if (raw.complete || raw.destroyed) return
      // One that has come whole meanwhile may not say so: what nobody reads does not end, and its connection may serve others by now.
      const late = setTimeout(() => raw.complete || raw.destroy(), requestTimeout).unref()
      raw.once('close', () => clearTimeout(late))
    })
    app.addHook('onResponse', async (request, reply) => {
      // The route's template, never the address called: a query may name a patient.
      const { method, routeOptions } = request
      request.log.info(
        logLine('answered', {
          method,
          route: routeOptions.url ?? 'none',
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime)
        })
      )
    })
  },
  { name: 'request-guard' }
)

function isDecodable(query: string): boolean {
  try {
    return decodeURIComponent(query) !== undefined
  } catch {
    return false
  }
}
