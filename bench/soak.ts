import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withFixture } from './fixture.js'
import { memoryOf } from './processor.js'
import { serversNamed } from './servers.js'
import { circumstances, writeBetweenMarks } from './table.js'
import { mixed } from './workloads/all.js'

/**
 * Processor time per request and memory of a server, at first and after long use:
 * `npm --prefix bench run soak -- [--scale=0.02] [--server=product] [--first=50000]
 * [--until=1000000] [--connections=8] [--minutes=0] [--write]`.
 * `--minutes` is the minimum duration.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.02' },
    server: { type: 'string', default: 'product' },
    first: { type: 'string', default: '50000' },
    until: { type: 'string', default: '1000000' },
    connections: { type: 'string', default: '8' },
    minutes: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)
const [first, until] = [Number(values.first), Number(values.until)]

await withFixture({ scale }, async ({ sql, issuer, load, database, serve }) => {
  const [kind] = serversNamed(values.server)
  if (!kind) return
  const prepared = await mixed.prepare(sql, 1)
  const tokens = await issuer.tokensOf(prepared.callers)
  const server = await serve(kind)
  const lines = ['| after requests | µs of processor a request | MB |', '|---|---|---|']
  const note = (after: number, cost: number | undefined) => {
    lines.push(`| ${after} | ${cost ?? ''} | ${memoryOf(server.pid)} |`)
    process.stdout.write(`${lines.at(-1)}\n`)
  }
  const job = { workload: mixed, prepared, tokens, connections: Number(values.connections) }
  await pause(5000)
  note(0, undefined)
  // Warm-up excludes JIT compilation from the comparison.
  await load.play(server, database.pid, { ...job, responses: Math.min(mixed.warmUp, first) })
  const costs: number[] = []
  const began = performance.now()
  for (let done = 0; done < until || performance.now() - began < Number(values.minutes) * 60_000; ) {
    const { serverCost, responses } = await load.play(server, database.pid, { ...job, responses: first })
    done += responses
    costs.push(serverCost)
    note(done, serverCost)
  }
  await server.stop()
  lines.push(`| last / first | ${((costs.at(-1) ?? 0) / (costs[0] ?? 1)).toFixed(2)} | |`)
  process.stdout.write(`${lines.at(-1)}\n`)
  if (values.write) writeBetweenMarks('soak', [circumstances(scale), '', ...lines])
})
