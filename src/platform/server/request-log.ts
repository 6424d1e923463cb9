import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { logLine } from '../logging/log-line.js'
import { durationHistogram } from '../telemetry/meter.js'
import { hasTimings, withTimings } from '../telemetry/request-timings.js'
import { METHODS } from './check-head.js'

/**
 * Logs each request by its route, measures it from its arrival to the end of its response, and
 * returns the request id in `x-request-id`. At level debug, a line also has the caller's
 * organization and the waiting times of the request. The metrics have the names of
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/.
 */
export function logRequest(app: FastifyInstance): onRequestHookHandler {
  const isTimed = hasTimings(app)
  const duration = durationHistogram('http.server.request.duration', 'Duration of HTTP server requests.')
  return (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const { raw: response } = reply
    response.once('close', () => {
      const errorType = response.writableFinished ? request.state.problemCode : 'aborted'
      duration.record(reply.elapsedTime / 1000, attributesOf(request, reply.statusCode, errorType))
      request.log.info(
        logLine(response.writableFinished ? 'request completed' : 'request aborted by the client', {
          method: request.method,
          // The route's template instead of the URL, because a query may name a patient.
          route: request.routeOptions.url ?? 'none',
          status: reply.statusCode,
          ...(errorType !== null && { code: errorType }),
          ms: Math.round(reply.elapsedTime),
          ...(isTimed && detailsOf(request))
        })
      )
    })
    if (!isTimed) return done()
    request.state.timings = []
    withTimings(request.state.timings, done)
  }
}

const detailsOf = ({ state: { auditContext, timings } }: FastifyRequest) => ({
  organization: auditContext?.caller.organization,
  timings
})

/** Unknown methods count as `_OTHER`, so that clients cannot make labels. */
function attributesOf(
  { method, routeOptions }: FastifyRequest,
  statusCode: number,
  errorType: string | null
) {
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'http.response.status_code': statusCode,
    ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
    ...(errorType !== null && { 'error.type': errorType })
  }
}
