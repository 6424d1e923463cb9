import { writeFileSync } from 'node:fs'

/**
 * Loaded before a server (`node --import`). Writes at each SIGUSR2 to the file of LOOP_DELAY the
 * longest hold of the event loop and the processor time since the last one, in milliseconds. Time
 * without a processor does not count: a busy machine is not a busy server.
 */

const resolution = 5
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let [longest, last, before, start] = [0, performance.now(), used(), used()]
setInterval(() => {
  const [now, processor] = [performance.now(), used()]
  longest = Math.max(longest, Math.min(now - last - resolution, processor - before))
  last = now
  before = processor
}, resolution).unref()

process.on('SIGUSR2', () => {
  const held = { longest: Math.round(longest), processor: Math.round(used() - start) }
  longest = 0
  start = used()
  writeFileSync(process.env.LOOP_DELAY ?? '', JSON.stringify(held))
})
if (process.env.TRACE_GC) (await import('node:v8')).setFlagsFromString('--trace-gc')
