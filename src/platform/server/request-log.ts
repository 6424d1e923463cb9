import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
        if (!response.writableFinished)
          request.log.info(
            logLine('request aborted by the client', { ...routeOf(request), ms: elapsedMs(reply) })
          )
      })
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      request.log.info(
        logLine('request completed', {
          ...routeOf(request),
          status: reply.statusCode,
          ms: elapsedMs(reply)
        })
      )
      done()
    })
  },
  { name: 'request-log', dependencies: ['error-handler'] }
)

/** The route's template instead of the URL, because a query may name a patient. */
const routeOf = ({ method, routeOptions }: FastifyRequest) => ({
  method,
  route: routeOptions.url ?? 'none'
})

const elapsedMs = ({ elapsedTime }: FastifyReply) => Math.round(elapsedTime)
