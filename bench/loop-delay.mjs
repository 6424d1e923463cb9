import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/*
 * Loaded before a server (`node --import`), it writes at each SIGUSR2 to the file of LOOP_DELAY the longest time in milliseconds
 * that something held the event loop since the last one, and the processor time in milliseconds of the process meanwhile.
 */

const delay = monitorEventLoopDelay({ resolution: 1 })
let before = process.cpuUsage()
delay.enable()
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage(before)
  const held = { longest: Math.round(delay.max / 1e6), processor: Math.round((user + system) / 1000) }
  delay.reset()
  before = process.cpuUsage()
  writeFileSync(process.env.LOOP_DELAY ?? '', JSON.stringify(held))
})
