import { type Attributes, context, propagation } from '@opentelemetry/api'
import { durationHistogram, observeGauge, secondsSince } from '../telemetry/meter.js'
import { addClientSpan } from '../telemetry/spans.js'
import { UpstreamUnavailable } from './errors.js'
import type { Attempt } from './single-attempt.js'

/**
 * Measures each attempt by the names of OpenTelemetry for HTTP clients, and passes on the
 * `traceparent`. Paths, which may name patients, are left out.
 */
export function measured(upstream: string, attempt: Attempt): Attempt {
  const duration = durationHistogram('http.client.request.duration', 'Duration of calls to upstreams.')
  return async (request, signal) => {
    const start = performance.now()
    const method = request.method ?? 'GET'
    const headers = { ...request.headers }
    propagation.inject(context.active(), headers)
    const record = (outcome: Attributes) => {
      const attributes = { 'service.peer.name': upstream, 'http.request.method': method, ...outcome }
      duration.record(secondsSince(start), attributes)
      addClientSpan(`${method} ${upstream}`, start, attributes)
    }
    try {
      const response = await attempt({ ...request, headers }, signal)
      if (response instanceof UpstreamUnavailable) record({ 'error.type': response.code })
      else record({ 'http.response.status_code': response.status })
      return response
    } catch (cause) {
      record({ 'error.type': 'other' })
      throw cause
    }
  }
}

/** Observes whether the circuit of an upstream is open, until the returned function is called. */
export const observeCircuit = (upstream: string, isOpen: () => boolean): (() => void) =>
  observeGauge(
    'ssl.upstream.circuit.open',
    { description: '1 while an upstream is not called after repeated failures, else 0.' },
    () => [[isOpen() ? 1 : 0, { 'service.peer.name': upstream }]]
  )
