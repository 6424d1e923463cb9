import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cache } from './database.js'
import { withFixture } from './fixture.js'
import { serversNamed } from './servers.js'
import { workloadsNamed } from './workloads/all.js'

/**
 * The query plan of every statement of a server, workload by workload:
 * `npm --prefix bench run plans -- [--scale=1] [--works=w2] [--server=product]`.
 * Each request is sent often enough that a prepared statement has its final plan.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    server: { type: 'string', default: 'product' }
  }
})
const log = join(cache, 'postgres', 'postgres.log')
const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_parameter_max_length': '0',
  log_line_prefix: '== '
}
/**
 * Responses before the one examined: one connection each, as many statements as the pool has
 * connections.
 */
const before = 100

await withFixture(
  { scale: Number(values.scale), settings },
  async ({ sql, issuer, load, database, serve }) => {
    const [kind] = serversNamed(values.server)
    if (!kind) return
    for (const workload of workloadsNamed(values.works)) {
      const prepared = await workload.prepare(sql, 1)
      const tokens = await issuer.tokensOf(prepared.callers)
      const server = await serve(kind)
      const job = { workload, prepared, tokens, connections: 1 }
      const responses = workload.name === 'w4' ? 20 : before
      await load.play(server, database.pid, { ...job, responses })
      const { size } = statSync(log)
      const rest = { ...prepared, requests: prepared.requests.slice(responses) }
      await load.play(server, database.pid, {
        ...job,
        prepared: rest.requests.length > 0 ? rest : prepared,
        responses: 1
      })
      process.stdout.write(`\n#### ${workload.name.toUpperCase()} ${workload.title}\n\n`)
      process.stdout.write(readFileSync(log).subarray(size).toString())
      await server.stop()
      await workload.reset?.(sql)
    }
  }
)
