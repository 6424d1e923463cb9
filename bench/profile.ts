import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
const file = join(cache, 'profile.json')

/** Waits until the server has written what it recorded, which takes a moment. */
async function recorded(): Promise<CpuProfile> {
  while (!existsSync(file)) await pause(100)
  await pause(1000)
  return JSON.parse(readFileSync(file, 'utf8'))
}

await onStand({ scale: Number(values.scale) }, async ({ sql, issuer, load, database, serve }) => {
  const [kind] = serversNamed(values.server)
  if (!kind) return
  for (const work of worksNamed(values.works)) {
    rmSync(file, { force: true })
    const prepared = await work.prepare(sql, 1)
    const tokens = await issuer.tokensOf(prepared.callers)
    const server = await serve(
      { ...kind, env: { ...kind.env, PROFILE: file } },
      { nodeArguments: ['--import', './bench/recorder.mjs'] }
    )
    const job = { work, prepared, tokens, connections: Number(values.connections) }
    await warmUp(server, database.pid, load, job, async () => work.reset?.(sql))
    process.kill(server.pid, 'SIGUSR2')
    const measured = await load.play(server, database.pid, { ...job, seconds: Number(values.seconds) })
    process.kill(server.pid, 'SIGUSR2')
    const profile = await recorded()
    await server.stop()
    process.stdout.write(`\n#### ${work.name.toUpperCase()} ${work.title}: ${JSON.stringify(measured)}\n`)
    for (const line of costs(profile)) process.stdout.write(`${line}\n`)
    await work.reset?.(sql)
  }
})
