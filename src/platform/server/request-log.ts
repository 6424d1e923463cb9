import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { logLine } from '../logging/log-line.js'

/** Logs each request by its route, and returns the request id in `x-request-id`. */
export const requestLog = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      const { raw: response } = reply
      response.once('close', () => {
        if (!response.writableFinished)
          request.log.info(logLine('request aborted by the client', fieldsOf(request, reply)))
      })
      done()
    })
    app.addHook('onResponse', async (request, reply) => {
      request.log.info(
        logLine('request completed', { ...fieldsOf(request, reply), status: reply.statusCode })
      )
    })
  },
  { name: 'request-log' }
)

/** The route's template instead of the URL, because a query may name a patient. */
const fieldsOf = ({ method, routeOptions }: FastifyRequest, { elapsedTime }: FastifyReply) => ({
  method,
  route: routeOptions.url ?? 'none',
  ms: Math.round(elapsedTime)
})
