import { trace } from '@opentelemetry/api'
import type { FastifyRequest } from 'fastify'

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
