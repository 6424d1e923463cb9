import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { durationHistogram } from './meter.js'

/** Methods by their names; others count as `_OTHER`, so that clients cannot make labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Measures each request from its arrival to the end of its response, by the names of
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/. `error.type` is the code of the
 * problem, or `aborted` when the client did not wait for the end.
 */
export const requestMetrics = fp(
  async (app: FastifyInstance) => {
    const duration = durationHistogram('http.server.request.duration', 'Duration of HTTP server requests.')
    app.addHook('onRequest', (request, reply, done) => {
      reply.raw.once('close', () => duration.record(reply.elapsedTime / 1000, attributesOf(request, reply)))
      done()
    })
  },
  { name: 'request-metrics', dependencies: ['error-handler'] }
)

function attributesOf(
  { method, routeOptions }: FastifyRequest,
  { raw, statusCode, problemCode }: FastifyReply
) {
  const errorType = raw.writableFinished ? problemCode : 'aborted'
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'http.response.status_code': statusCode,
    ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
    ...(errorType !== null && { 'error.type': errorType })
  }
}
