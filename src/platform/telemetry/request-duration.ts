import type { FastifyReply, FastifyRequest } from 'fastify'
import { durationHistogram } from './meter.js'

/** Methods by their names; others count as `_OTHER`, so that clients cannot make labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Measures requests by the names of
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/. `error.type` is the code of the
 * problem, or `aborted` when the client did not wait for the end. Call it at the end of a response.
 */
export function requestDuration(): (request: FastifyRequest, reply: FastifyReply) => void {
  const duration = durationHistogram('http.server.request.duration', 'Duration of HTTP server requests.')
  return (request, reply) => duration.record(reply.elapsedTime / 1000, attributesOf(request, reply))
}

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
