import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'

/** Suffixes of names by unit. */
const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }

const serializer = new PrometheusSerializer(undefined, false, undefined, undefined, true)

/**
 * Metrics in the text format of Prometheus. Names end with their unit, as
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics requires; the
 * serializer omits units.
 */
export const toPrometheusText = ({ resource, scopeMetrics }: ResourceMetrics): string =>
  serializer.serialize({
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map((metric) => ({ ...metric, descriptor: withUnit(metric.descriptor) }))
    }))
  })

const withUnit = <D extends { name: string; unit: string }>(descriptor: D): D => ({
  ...descriptor,
  name: descriptor.name + (SUFFIXES[descriptor.unit] ?? ''),
  unit: ''
})
