import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { logLine } from '../logging/log-line.js'
import { requestDuration } from '../telemetry/request-duration.js'

/**
 * Logs each request by its route, measures it from its arrival to the end of its response, and
 * returns the request id in `x-request-id`.
 */
export const requestLog = fp(
  async (app: FastifyInstance) => {
    const measure = requestDuration()
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      const { raw: response } = reply
      response.once('close', () => {
        measure(request, reply)
        request.log.info(
          logLine(response.writableFinished ? 'request completed' : 'request aborted by the client', {
            method: request.method,
            // The route's template instead of the URL, because a query may name a patient.
            route: request.routeOptions.url ?? 'none',
            status: reply.statusCode,
            ms: Math.round(reply.elapsedTime)
          })
        )
      })
      done()
    })
  },
  { name: 'request-log', dependencies: ['error-handler'] }
)
