import { statfsSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { meter, observeGauge } from '../platform/telemetry/meter.js'

/** Interval of the samples of the event loop delay, in milliseconds. */
const RESOLUTION_MS = 10

/**
 * Measures this process: event loop, memory and processor time, with the metric names of
 * https://opentelemetry.io/docs/specs/semconv/runtime/nodejs-metrics/. Delays are measured since
 * the last read of the metrics.
 */
export function observeProcess(): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  observeGauge(
    'nodejs.eventloop.delay.p99',
    { description: 'Event loop delay of 99 percent of the samples.', unit: 's' },
    () => [[seconds(delay.percentile(99))]]
  )
  // Last, because this callback resets the samples.
  observeGauge('nodejs.eventloop.delay.max', { description: 'Maximum event loop delay.', unit: 's' }, () => {
    const max = seconds(delay.max)
    delay.reset()
    return [[max]]
  })
  let last = performance.eventLoopUtilization()
  observeGauge(
    'nodejs.eventloop.utilization',
    { description: 'Fraction of the time in which the event loop was busy.', unit: '1' },
    () => {
      const current = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(current, last)
      last = current
      return [[utilization]]
    }
  )
  observeGauge('process.memory.usage', { description: 'Resident memory.', unit: 'By' }, () => [
    [process.memoryUsage.rss()]
  ])
  meter()
    .createObservableCounter('process.cpu.time', { description: 'Processor time.', unit: 's' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe(user / 1e6, { 'cpu.mode': 'user' })
      result.observe(system / 1e6, { 'cpu.mode': 'system' })
    })
}

/** Measures the file system of a folder, such as that of the embedded database. */
export function observeDisk(folder: string): void {
  const description = 'bytes of the file system of the embedded database.'
  observeGauge('ssl.data_dir.size', { description: `All ${description}`, unit: 'By' }, () => {
    const { blocks, bsize } = statfsSync(folder)
    return [[blocks * bsize]]
  })
  observeGauge('ssl.data_dir.free', { description: `Free ${description}`, unit: 'By' }, () => {
    const { bavail, bsize } = statfsSync(folder)
    return [[bavail * bsize]]
  })
}

/** Of nanoseconds. Without a sample the histogram has invalid values. */
function seconds(nanoseconds: number): number {
  const delay = nanoseconds / 1e9 - RESOLUTION_MS / 1000
  return delay > 0 && delay < 3600 ? delay : 0
}
