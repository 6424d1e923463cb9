import { connect } from './database.js'
import { percentile } from './driver.js'
import { withFixture } from './fixture.js'
import { type RunningServer, serverNamed } from './servers.js'
import { formatNumber, medianAndRange, readOptions, startTable, writeToReadme } from './table.js'
import { type MeasuredRound, type Side, type Turn, takeTurns, workloadsNamed } from './turns.js'
import type { PreparedWorkload, Workload } from './workloads/workload.js'

/**
 * Compares the first server with each other server, workload by workload: `npm --prefix bench run
 * compare -- [--scale=0.1] [--works=w1,w2] [--servers=product,bare] [--pairs=5]
 * [--connections=8,32] [--seconds=5] [--write]`.
 */

/** The database of a server with less data. */
const SHARE = 'bench_share'

/** Number of requests whose responses are compared. */
const COMPARED_REQUESTS = 20

/**
 * Checks that both servers respond alike, so that no server is faster because it returns less.
 * @throws Error with the first responses that differ.
 */
async function assertAgreement(
  { status }: Workload,
  servers: readonly RunningServer[],
  { requests }: PreparedWorkload,
  tokens: readonly string[]
): Promise<void> {
  for (const { method, path, token } of requests.slice(0, COMPARED_REQUESTS)) {
    if (method !== 'GET') return
    const headers = { authorization: `Bearer ${tokens[token]}` }
    const [one, other] = await Promise.all(
      servers.map(async ({ title, origin }) => {
        const response = await fetch(origin + path, { headers })
        const text = await response.text()
        if (response.status !== status)
          throw new Error(`${title} responds ${response.status} to ${path}: ${text.slice(0, 500)}`)
        return JSON.parse(text)
      })
    )
    if (!contains(one, other))
      throw new Error(`Responses to ${path} differ:\n${JSON.stringify(one)}\n${JSON.stringify(other)}`)
  }
}

/** Whether a value equals another value, or has at least the same members. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  if (Array.isArray(part) && part.length !== (whole as unknown[]).length) return false
  return Object.entries(part).every(([name, value]) => contains(Reflect.get(whole, name), value))
}

/**
 * Figures of the first server, a colon, figures of the other server. Ratios within a turn depend
 * less on other load of the machine than a ratio of medians.
 */
function figuresOf(turns: readonly Turn[]): string[] {
  const both = (of: (round: MeasuredRound) => number, format: (values: number[]) => string) =>
    `${format(turns.map(([one]) => of(one)))} : ${format(turns.map(([, other]) => of(other)))}`
  const medians = (of: (round: MeasuredRound) => number) =>
    both(of, (values) => formatNumber(percentile(values, 0.5)))
  const ratio = (of: (round: MeasuredRound) => number) =>
    percentile(
      turns.map(([one, other]) => of(one) / of(other)),
      0.5
    ).toFixed(2)
  return [
    both(({ perSecond }) => perSecond, medianAndRange),
    ratio(({ perSecond }) => perSecond),
    medians(({ p50 }) => p50),
    medians(({ p99 }) => p99),
    ratio(({ p99 }) => p99),
    medians(({ serverCost }) => serverCost),
    medians(({ databaseCost }) => databaseCost)
  ]
}

const options = readOptions({
  ...{ scale: '1', works: '', servers: 'product,bare', pairs: '5', connections: '8,32', seconds: '5' }
})
const [first, ...others] = options.servers.split(',').map(serverNamed)
if (!first || others.length === 0)
  throw new Error('Name at least two servers, such as --servers=product,bare.')
const connections = options.connections.split(',').map(Number)
const table = startTable(
  'workload | connections | against | requests/s (least–most) | ratio | p50 ms | p99 ms | ratio ' +
    '| µs of processor, server | µs, PostgreSQL'
)

await withFixture({ scale: Number(options.scale) }, async (fixture) => {
  const { url: databaseUrl, sql, database } = fixture
  for (const other of others) {
    const side: Side = { kind: other, databaseUrl, sql }
    if (other.share !== undefined) {
      side.databaseUrl = await database.copy(SHARE, Number(options.scale) * other.share)
      side.sql = connect(side.databaseUrl)
    }
    for (const workload of workloadsNamed(options.works)) {
      const results = await takeTurns(fixture, workload, [{ kind: first, databaseUrl, sql }, side], {
        pairs: Number(options.pairs),
        seconds: Number(options.seconds),
        connections,
        // With less data other responses are correct.
        ...(side.sql === sql && { check: (...both) => assertAgreement(workload, ...both) })
      })
      for (const [at, turns] of results.entries()) {
        const title = `${workload.name.toUpperCase()} ${workload.title}`
        table.add(title, connections[at] ?? '', other.title, ...figuresOf(turns))
      }
    }
    if (side.sql !== sql) await side.sql.end()
  }
  await database.drop(SHARE)
})
writeToReadme(options.servers, options, table)
