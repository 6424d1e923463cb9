import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/**
 * Adds a span of a call that has ended to the trace of the current request, if it is recorded.
 * @param start when the call began, by `performance.now()`.
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
