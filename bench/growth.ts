import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { withFixture } from './fixture.js'
import { warmUp } from './round.js'
import { serversNamed } from './servers.js'
import { circumstances, median, writeBetweenMarks } from './table.js'
import { workloadsNamed } from './workloads/all.js'

/**
 * Compares a server with one tenth and with all of the data, in turns:
 * `npm --prefix bench run growth -- [--scale=1] [--works=w1] [--server=product] [--pairs=5]
 * [--connections=8] [--seconds=5] [--write]`.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    server: { type: 'string', default: 'product' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)

await withFixture({ scale }, async ({ database, url, sql, issuer, load, serve }) => {
  const tenth = await database.copy('bench_tenth', scale / 10)
  const small = postgres(tenth, { max: 1, onnotice: () => {} })
  const [kind] = serversNamed(values.server)
  const lines = [
    '| workload | a tenth, requests/s | whole, requests/s | whole / tenth |',
    '|---|---|---|---|'
  ]
  for (const workload of workloadsNamed(values.works)) {
    if (!kind) continue
    const sides = []
    for (const [client, databaseUrl] of [
      [small, tenth],
      [sql, url]
    ] as const) {
      const prepared = await workload.prepare(client, 1)
      const server = await serve(kind, { databaseUrl })
      const tokens = await issuer.tokensOf(prepared.callers)
      sides.push({ client, server, prepared, tokens, rates: [] as number[] })
    }
    const connections = Number(values.connections)
    for (const { client, server, prepared, tokens } of sides) {
      const job = { workload, prepared, tokens, connections }
      await warmUp(server, database.pid, load, job, async () => workload.reset?.(client))
    }
    for (let turn = 0; turn < Number(values.pairs); turn++)
      for (const { client, server, prepared, tokens, rates } of sides) {
        const job = { workload, prepared, tokens, connections, seconds: Number(values.seconds) }
        const measured = await load.play(server, database.pid, job)
        await workload.reset?.(client)
        rates.push(measured.perSecond)
      }
    for (const { server } of sides) await server.stop()
    const [before, after] = sides.map(({ rates }) => rates)
    const ratios = (before ?? []).map((rate, turn) => (after?.[turn] ?? 0) / rate)
    const shown = [before ?? [], after ?? []].map((rates) => Math.round(median(rates)))
    lines.push(
      `| ${workload.name.toUpperCase()} ${workload.title} | ${shown.join(' | ')} | ${median(ratios).toFixed(2)} |`
    )
    process.stdout.write(`${lines.at(-1)}\n`)
  }
  await small.end()
  await database.drop('bench_tenth')
  if (values.write) writeBetweenMarks('growth', [circumstances(scale), '', ...lines])
})
