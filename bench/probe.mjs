/**
 * Loaded before a server (`node --import`): responds to `report` with the longest delay of the
 * event loop since the last report, in milliseconds. Time without a processor does not count,
 * because only the server is measured, not the load of the machine. JavaScript, so that no compiler
 * runs in the server, which ends with the measuring process.
 */

const resolution = 5
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let [longest, last, before] = [0, performance.now(), used()]
setInterval(() => {
  const [now, processor] = [performance.now(), used()]
  longest = Math.max(longest, Math.min(now - last - resolution, processor - before))
  last = now
  before = processor
}, resolution).unref()

process.on('message', () => {
  process.send(Math.round(longest))
  longest = 0
})
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel.unref()
