import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres, { type Sql } from 'postgres'
import { cache } from './database.js'
import { type Fixture, withFixture } from './fixture.js'
import { serversNamed } from './servers.js'
import { circumstances, median } from './table.js'
import { auditSearch, fillAuditRecord, orderList } from './workloads/audit.js'
import { details, list } from './workloads/reads.js'
import type { Workload } from './workloads/workload.js'
import { accept } from './workloads/writes.js'

/**
 * What the statements of a request cost PostgreSQL with a tenth and with all of the data, orders
 * partitioned by their id: `npm --prefix bench run nations -- [--scale=1] [--requests=300]`.
 */

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, requests: { type: 'string', default: '300' } }
})
const scale = Number(values.scale)
const requests = Number(values.requests)
const workloads: readonly Workload[] = [details, list, orderList, accept, auditSearch]
const log = join(cache, 'postgres', 'postgres.log')
const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_parameter_max_length': '0',
  log_line_prefix: '== '
}

/** Buffers and milliseconds of a request's statements. */
interface Cost {
  buffers: number
  ms: number
}

interface Plan {
  'Query Text': string
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
}

/** The cost per request of the statements in a part of PostgreSQL's log. */
function costIn(text: string): Cost {
  const statements = new Map<string, Cost[]>()
  for (const [, ms, json = ''] of text.matchAll(
    /== LOG: {2}duration: ([\d.]+) ms {2}plan:\n([\s\S]*?\n\t\})/g
  )) {
    const plan: Plan = JSON.parse(json)
    const buffers = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks']
    const costs = statements.get(plan['Query Text']) ?? []
    costs.push({ buffers, ms: Number(ms) })
    statements.set(plan['Query Text'], costs)
  }
  const sum = { buffers: 0, ms: 0 }
  for (const costs of statements.values()) {
    const perRequest = costs.length / requests
    sum.buffers += median(costs.map(({ buffers }) => buffers)) * perRequest
    sum.ms += median(costs.map(({ ms }) => ms)) * perRequest
  }
  return sum
}

async function costsOf(fixture: Fixture, databaseUrl: string): Promise<Cost[]> {
  const { issuer, load, database, serve } = fixture
  const sql: Sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await fillAuditRecord(sql)
  const [kind] = serversNamed('single')
  if (!kind) return []
  const server = await serve(kind, { databaseUrl })
  const costs: Cost[] = []
  for (const workload of workloads) {
    const prepared = await workload.prepare(sql, 1)
    const job = { workload, prepared, tokens: await issuer.tokensOf(prepared.callers), connections: 1 }
    await load.play(server, database.pid, { ...job, responses: requests })
    const others = prepared.requests.slice(requests)
    const next = others.length > 0 ? { ...prepared, requests: others } : prepared
    // As autovacuum does: an index keeps new entries in a list that each search reads.
    await sql`vacuum audit_events`
    const { size } = statSync(log)
    await load.play(server, database.pid, { ...job, prepared: next, responses: requests })
    costs.push(costIn(readFileSync(log).subarray(size).toString()))
  }
  await server.stop()
  await sql.end()
  return costs
}

await withFixture({ scale: scale / 10, settings }, async (fixture) => {
  const sides: Cost[][] = []
  for (const each of [scale / 10, scale]) {
    const url = await fixture.database.copy('bench_nations', each, true)
    sides.push(await costsOf(fixture, url))
    await fixture.database.drop('bench_nations')
  }
  const lines = [
    '| request | a tenth: buffers, ms | whole: buffers, ms | whole / tenth: buffers, ms |',
    '|---|---|---|---|'
  ]
  for (const [at, { title }] of workloads.entries()) {
    const [tenth, whole] = sides.map((side) => side[at] ?? { buffers: 0, ms: 0 })
    if (!tenth || !whole) continue
    const shown = ({ buffers, ms }: Cost) => `${Math.round(buffers)}, ${ms.toFixed(2)}`
    const growth = `${(whole.buffers / tenth.buffers).toFixed(2)}, ${(whole.ms / tenth.ms).toFixed(2)}`
    lines.push(`| ${title} | ${shown(tenth)} | ${shown(whole)} | ${growth} |`)
  }
  process.stdout.write(`${circumstances(scale)}\n\n${lines.join('\n')}\n`)
})
