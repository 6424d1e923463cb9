import {
  type Attributes,
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
 * Starts a span for a request, whose trace id its log lines carry. Spans have the route instead of
 * the URL, which may name a patient.
 */
export function startSpan(_app: FastifyInstance, { exportsSpans }: SpanOptions) {
  if (!exportsSpans) return undefined
  return ((request, reply, done) => {
    request.state.traceContext = contextOf(request, reply)
    context.with(request.state.traceContext, done)
  }) satisfies onRequestHookHandler
}

/** Restores the span, because the body is read outside its context. */
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

/**
 * Adds a span of a call that began at `start` (by `performance.now()`) and has ended, if the trace
 * of the current request is recorded.
 */
export function addClientSpan(name: string, start: number, attributes: Attributes): void {
  if (!trace.getActiveSpan()?.isRecording()) return
  const span = trace
    .getTracer('ssl-backend')
    .startSpan(
      name,
      { kind: SpanKind.CLIENT, startTime: performance.timeOrigin + start, attributes },
      context.active()
    )
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const VALID = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The W3C trace context of a request: that of its span, or the valid one that its caller sent. */
export function traceparentOf({ state: { traceContext }, headers }: FastifyRequest): string | undefined {
  const span = traceContext ? trace.getSpanContext(traceContext) : undefined
  if (span) return `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`
  const { traceparent } = headers
  return typeof traceparent === 'string' && VALID.test(traceparent) ? traceparent : undefined
}

/** The trace id of a header `traceparent`; undefined without a valid one. */
export const traceIdOf = (traceparent: string | string[] | undefined): string | undefined =>
  typeof traceparent === 'string' ? VALID.exec(traceparent)?.[1] : undefined
