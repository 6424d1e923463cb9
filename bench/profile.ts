import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type CpuProfile, costs } from './cpu-profile.js'
import { cache } from './database.js'
import { warmUp } from './round.js'
import { serversNamed } from './servers.js'
import { onStand } from './stand.js'
import { worksNamed } from './works/all.js'

/*
 * Where a server's time goes, work by work: `npm --prefix bench run profile -- [--scale=1] [--works=w1] [--server=product]
 * [--connections=32] [--seconds=10]`.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    server: { type: 'string', default: 'product' },
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '10' }
  }
})
const folder = join(cache, 'profiles')
const now = () => Number(process.hrtime.bigint() / 1000n)

await onStand({ scale: Number(values.scale) }, async ({ sql, issuer, load, database, serve }) => {
  const [kind] = serversNamed(values.server)
  if (!kind) return
  for (const work of worksNamed(values.works)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const prepared = await work.prepare(sql, 1)
    const tokens = await issuer.tokensOf(prepared.callers)
    const nodeArguments = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=400']
    const server = await serve(kind, { nodeArguments })
    const job = { work, prepared, tokens, connections: Number(values.connections) }
    await warmUp(server, database.pid, load, job, async () => work.reset?.(sql))
    const begin = now()
    const measured = await load.play(server, database.pid, { ...job, seconds: Number(values.seconds) })
    const end = now()
    await server.stop()
    const [file] = readdirSync(folder)
    const profile: CpuProfile = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8'))
    process.stdout.write(`\n#### ${work.name.toUpperCase()} ${work.title}: ${JSON.stringify(measured)}\n`)
    for (const line of costs(profile, begin, end)) process.stdout.write(`${line}\n`)
    await work.reset?.(sql)
  }
})
