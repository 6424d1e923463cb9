import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'
import { logLine } from '../logging/log-line.js'

/** Bounds every request's query string, gives every answer its request id, and logs each request by its route. */
export const requestGuard = fp<{ queryLimit: number }>(
  async (app: FastifyInstance, { queryLimit }) => {
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
    app.addHook('onRequest', (request, reply, done) => {
      const { raw: response } = reply
      response.once('close', () => {
        if (!response.writableFinished)
          request.log.info(
            logLine('aborted by the client', { ...lineOf(request), ms: Math.round(reply.elapsedTime) })
          )
      })
      done()
    })
    app.addHook('onResponse', async (request, reply) => {
      request.log.info(
        logLine('answered', {
          ...lineOf(request),
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime)
        })
      )
    })
  },
  { name: 'request-guard' }
)

/** The route's template, never the address called: a query may name a patient. */
const lineOf = ({ method, routeOptions }: FastifyRequest) => ({
  method,
  route: routeOptions.url ?? 'none'
})

function isDecodable(query: string): boolean {
  try {
    return decodeURIComponent(query) !== undefined
  } catch {
    return false
  }
}
