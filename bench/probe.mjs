import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/**
 * Loaded before a server (`node --import`), and controlled by SIGUSR2. JavaScript without types, so
 * that no compiler runs in the server. With the environment variable
 * - LOOP_DELAY, each signal writes to that file the longest hold of the event loop and the
 *   processor time since the last one, in milliseconds;
 * - PROFILE, the first signal starts a CPU profile and the second writes it to that file;
 * - TRACE_GC, each garbage collection prints a line, without any signal.
 */

const { LOOP_DELAY, PROFILE, TRACE_GC } = process.env
if (LOOP_DELAY) watchLoop(LOOP_DELAY)
if (PROFILE) recordProfile(PROFILE)
if (TRACE_GC) (await import('node:v8')).setFlagsFromString('--trace-gc')

/** Time without a processor does not count: a busy machine is not a busy server. */
function watchLoop(file) {
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
    writeFileSync(file, JSON.stringify(held))
  })
}

function recordProfile(file) {
  const session = new Session()
  let isRecording = false
  process.on('SIGUSR2', async () => {
    if (isRecording) {
      const { profile } = await session.post('Profiler.stop')
      writeFileSync(file, JSON.stringify(profile))
      return
    }
    isRecording = true
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 400 })
    await session.post('Profiler.start')
  })
}
