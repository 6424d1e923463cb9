import { parseArgs } from 'node:util'
import type { Sql } from 'postgres'
import { type Fixture, withFixture } from './fixture.js'
import { serversNamed } from './servers.js'
import { circumstances, writeBetweenMarks } from './table.js'
import { workloadsNamed } from './workloads/all.js'

/**
 * The size of a year of data and of its audit record: `npm --prefix bench run sizes -- [--scale=1]
 * [--write]`.
 */

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, write: { type: 'boolean', default: false } }
})
const scale = Number(values.scale)
/** Maximum number of requests per workload to measure its audit records. */
const requests = 1000

const tables = (sql: Sql) => sql<{ name: string; rows: number; bytes: number }[]>`
  select c.relname as name, c.reltuples::int as rows, pg_total_relation_size(c.oid)::float8 as bytes
  from pg_class c
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.reltuples > 0
  order by bytes desc`

/** Requests whose audit records are measured, in this order. */
const rounds = ['', ', by another instance', ', asked again']

/**
 * Bytes of audit record per request in each round: the first ones name patients and orders that
 * the record has never named, another instance records them in full again, and the same instance
 * refers to what it recorded.
 */
async function recordSizes({ sql, issuer, load, database, serve }: Fixture, name: string): Promise<number[]> {
  const [kind] = serversNamed('product')
  const [workload] = workloadsNamed(name)
  if (!kind || !workload) throw new Error(`There is no workload ${name}.`)
  const prepared = await workload.prepare(sql, 1)
  const tokens = await issuer.tokensOf(prepared.callers)
  const size = async () => {
    // Moves pending entries into the indexes.
    await sql`vacuum audit_events`
    const [row] = await sql`
      select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('audit_events')`
    return Number(row?.bytes)
  }
  const distinct = new Map(prepared.requests.slice(0, requests).map((each) => [each.path, each]))
  const once = { ...prepared, requests: [...distinct.values()] }
  const [first, second] = [await serve(kind), await serve(kind)]
  const sizes: number[] = []
  for (const [server, responses] of [
    [first, once.requests.length],
    [second, once.requests.length],
    [second, requests]
  ] as const) {
    const before = await size()
    await load.play(server, database.pid, { workload, prepared: once, tokens, connections: 1, responses })
    sizes.push(((await size()) - before) / responses)
  }
  await first.stop()
  await second.stop()
  return sizes
}

const shown = (value: number) => Math.round(value).toString()

// A long list of pending entries leaves free pages, which would count as records.
await withFixture({ scale, settings: { gin_pending_list_limit: '64kB' } }, async (fixture) => {
  await fixture.sql`analyze`
  const lines = ['| table | rows | MB with indexes | bytes a row |', '|---|---|---|---|']
  for (const { name, rows, bytes } of await tables(fixture.sql))
    lines.push(`| ${name} | ${rows} | ${shown(bytes / 1_000_000)} | ${shown(bytes / rows)} |`)
  for (const name of ['w1', 'w2', 'w5']) {
    const [workload] = workloadsNamed(name)
    const sizes = await recordSizes(fixture, name)
    for (const [at, bytes] of sizes.entries())
      lines.push(`| audit_events of ${workload?.title}${rounds[at]} | | | ${shown(bytes)} |`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  if (values.write) writeBetweenMarks('sizes', [circumstances(scale), '', ...lines])
})
