import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace
} from '@opentelemetry/api'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler
} from 'fastify'

interface SpanOptions {
  /** Without an exporter there are no spans. */
  exportsSpans: boolean
}

/**
 * Starts a span for a request, as part of the caller's trace if it sends a `traceparent`. Log lines
 * of the request carry the trace id. Spans have the route instead of the URL, which may name a
 * patient.
 */
export function startSpan(_app: FastifyInstance, { exportsSpans }: SpanOptions) {
  if (!exportsSpans) return undefined
  return ((request, reply, done) => {
    request.state.traceContext = contextOf(request, reply)
    context.with(request.state.traceContext, done)
  }) satisfies onRequestHookHandler
}

/** Enters the span again: the body is read outside of it. */
export function enterSpan(_app: FastifyInstance, { exportsSpans }: SpanOptions) {
  if (!exportsSpans) return undefined
  return (({ state: { traceContext } }, _reply, done) => {
    context.with(traceContext ?? ROOT_CONTEXT, done)
  }) satisfies preValidationHookHandler
}

function contextOf(request: FastifyRequest, reply: FastifyReply): Context {
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
    const errorType = reply.raw.writableFinished ? request.state.problemCode : 'aborted'
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (errorType !== null) span.setAttribute('error.type', errorType)
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
  return trace.setSpan(parent, span)
}
