import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cache } from './database.js'
import { withFixture } from './fixture.js'
import { warmUp } from './round.js'
import { serversNamed } from './servers.js'
import { workloadsNamed } from './workloads/all.js'

/**
 * Profiles a server, workload by workload:
 * `npm --prefix bench run profile -- [--scale=1] [--works=w1] [--server=product] [--connections=32]
 * [--seconds=10]`.
 */

/** A CPU profile of V8. */
interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** The most expensive of each kind. */
const most = 45

/** The functions with most of the busy time: self, total, and by package. */
function costs(profile: CpuProfile): string[] {
  const self = selfTimes(profile)
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id]))
  )
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const [own, total, packages] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>()
  ]
  let busy = 0
  for (const [id, time] of self) {
    const frame = frames.get(id)
    if (!frame || frame.functionName === '(idle)') continue
    busy += time
    add(own, nameOf(frame), time)
    add(packages, packageOf(frame), time)
    // A recursive function counts once.
    const callers = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const caller = frames.get(at)
      if (caller) callers.add(nameOf(caller))
    }
    for (const caller of callers) add(total, caller, time)
  }
  return [
    ...['-- by package', ...shares(packages, busy)],
    ...['-- by themselves', ...shares(own, busy)],
    ...['-- with what they call', ...shares(total, busy)]
  ]
}

function selfTimes({ samples, timeDeltas }: CpuProfile) {
  const times = new Map<number, number>()
  for (const [place, id] of samples.entries())
    times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[place + 1] ?? 0))
  return times
}

const add = (to: Map<string, number>, name: string, time: number) => to.set(name, (to.get(name) ?? 0) + time)

const placeOf = (url: string) => url.replace(/^file:\/\//, '').replace(/^.*\/(node_modules|dist)\//, '$1/')
const nameOf = ({ functionName, url, lineNumber }: CallFrame) =>
  `${functionName || '(anonymous)'} ${placeOf(url)}:${lineNumber + 1}`
const packageOf = ({ functionName, url }: CallFrame) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ??
  (url === '' ? functionName : placeOf(url).split('/').slice(0, 3).join('/'))

const shares = (times: ReadonlyMap<string, number>, busy: number) =>
  [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([name, time]) => `${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`)

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    server: { type: 'string', default: 'product' },
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '10' }
  }
})
const file = join(cache, 'profile.json')

/** Waits until the server has written its profile. */
async function recorded(): Promise<CpuProfile> {
  while (!existsSync(file)) await pause(100)
  await pause(1000)
  return JSON.parse(readFileSync(file, 'utf8'))
}

await withFixture({ scale: Number(values.scale) }, async ({ sql, issuer, load, database, serve }) => {
  const [kind] = serversNamed(values.server)
  if (!kind) return
  for (const workload of workloadsNamed(values.works)) {
    rmSync(file, { force: true })
    const prepared = await workload.prepare(sql, 1)
    const tokens = await issuer.tokensOf(prepared.callers)
    const server = await serve(
      { ...kind, env: { ...kind.env, PROFILE: file } },
      { nodeArguments: ['--import', './bench/probe.mjs'] }
    )
    const job = { workload, prepared, tokens, connections: Number(values.connections) }
    await warmUp(server, database.pid, load, job, async () => workload.reset?.(sql))
    process.kill(server.pid, 'SIGUSR2')
    const measured = await load.play(server, database.pid, { ...job, seconds: Number(values.seconds) })
    process.kill(server.pid, 'SIGUSR2')
    const profile = await recorded()
    await server.stop()
    process.stdout.write(
      `\n#### ${workload.name.toUpperCase()} ${workload.title}: ${JSON.stringify(measured)}\n`
    )
    for (const line of costs(profile)) process.stdout.write(`${line}\n`)
    await workload.reset?.(sql)
  }
})
