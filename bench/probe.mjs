/**
 * Loaded before a server (`node --import`): answers `report` with the longest hold of the event
 * loop since the last one, in milliseconds. Time without a processor does not count: a busy machine
 * is not a busy server. JavaScript, so that no compiler runs in the server, which ends with the
 * measuring process.
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
