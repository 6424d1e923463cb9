import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler
} from '@opentelemetry/sdk-trace-node'
import { serviceAttributes } from './service-attributes.js'

export interface TracingOptions {
  /** Base URL of an OTLP collector, without `/v1/traces`. */
  endpoint: string
  /** The fraction of traces to record if the caller does not decide, from 0 to 1. */
  sampleRatio: number
}

/**
 * Starts to export spans. If the collector does not respond, spans are lost, but no request fails.
 * @returns a function that exports the last spans and stops.
 */
export function startTracing({ endpoint, sampleRatio }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes(serviceAttributes()),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor(exporter)]
  })
  // The default also forwards the caller's baggage, which may name a patient, to other servers.
  provider.register({ propagator: new W3CTraceContextPropagator() })
  return () => provider.shutdown()
}
