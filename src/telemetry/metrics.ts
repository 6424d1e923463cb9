import { once } from 'node:events'
import { createServer } from 'node:http'
import { metrics } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { observeProcess } from './process-metrics.js'
import { serviceAttributes } from './service-attributes.js'

/** Suffixes of names by unit. */
const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }

const serializer = new PrometheusSerializer(undefined, false, undefined, undefined, true)

/**
 * Starts to measure, and serves `GET /metrics` in the text format of Prometheus, without a token.
 * Call it before instruments are created.
 * @param port 0 for any free port.
 * @throws Error of the system when the port is in use.
 */
export async function startMetrics({ host, port }: { host: string; port: number }) {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({
    readers: [exporter],
    resource: resourceFromAttributes(serviceAttributes())
  })
  metrics.setGlobalMeterProvider(provider)
  observeProcess()
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return response.writeHead(404).end()
    exporter.collect().then(
      ({ resourceMetrics }) =>
        response
          .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
          .end(toPrometheusText(resourceMetrics)),
      () => response.writeHead(500).end()
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      server.close()
      server.closeAllConnections()
      await provider.shutdown()
      metrics.disable()
    }
  }
}

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
