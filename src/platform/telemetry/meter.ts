import { type Attributes, type Histogram, type Meter, metrics } from '@opentelemetry/api'

/**
 * The meter of this program. Instruments that are created before the metrics start record nothing.
 */
export const meter = (): Meter => metrics.getMeter('ssl-backend')

/** Upper bounds of the buckets of durations, in seconds, as OpenTelemetry recommends for HTTP. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export const durationHistogram = (name: string, description: string): Histogram =>
  meter().createHistogram(name, {
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS }
  })

/** Seconds since a time of `performance.now()`. */
export const secondsSince = (start: number): number => (performance.now() - start) / 1000

/** Observes a value whenever the metrics are read, until the returned function is called. */
export function observeGauge(
  name: string,
  options: { description: string; unit?: string },
  observe: () => readonly (readonly [value: number, attributes?: Attributes])[]
): () => void {
  const gauge = meter().createObservableGauge(name, options)
  const callback: Parameters<typeof gauge.addCallback>[0] = (result) => {
    for (const [value, attributes] of observe()) result.observe(value, attributes)
  }
  gauge.addCallback(callback)
  return () => gauge.removeCallback(callback)
}
