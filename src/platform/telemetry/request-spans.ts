import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    traceContext: Context | null
  }
}

/**
 * A span for each request, as part of the caller's trace if it sends a `traceparent`. Log lines of
 * the request carry the trace id. Spans have the route instead of the URL, which may name a
 * patient. Register it only when spans are exported.
 */
export const requestSpans = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('traceContext', null)
    app.addHook('onRequest', (request, reply, done) => {
      const entered = startSpan(request, reply)
      request.traceContext = entered
      context.with(entered, done)
    })
    // The body is read outside of the context.
    app.addHook('preValidation', ({ traceContext }, _reply, done) => {
      context.with(traceContext ?? ROOT_CONTEXT, done)
    })
  },
  { name: 'request-spans', dependencies: ['error-handler'] }
)

function startSpan(request: FastifyRequest, reply: FastifyReply): Context {
  const { method, routeOptions, headers } = request
  const route = routeOptions.url
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const span = trace
    .getTracer('ssl-backend')
    .startSpan(
      route === undefined ? method : `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
      parent
    )
  const { traceId } = span.spanContext()
  request.log = reply.log = request.log.child({ traceId })
  reply.raw.once('close', () => {
    const errorType = reply.raw.writableFinished ? reply.problemCode : 'aborted'
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (errorType !== null) span.setAttribute('error.type', errorType)
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
  return trace.setSpan(parent, span)
}
