import { isDeepStrictEqual, parseArgs } from 'node:util'
import { type Fixture, withFixture } from './fixture.js'
import { warmUp } from './round.js'
import { type RunningServer, serversNamed } from './servers.js'
import { type Comparison, circumstances, comparisonTable, type Pair, writeBetweenMarks } from './table.js'
import { workloadsNamed } from './workloads/all.js'
import type { Prepared, Workload } from './workloads/workload.js'

/**
 * Compares the first server with each of the others, workload by workload:
 * `npm --prefix bench run compare -- [--scale=0.1] [--works=w1,w2] [--servers=product,bare]
 * [--pairs=5] [--connections=8,32] [--seconds=5] [--write]`.
 */

interface ComparisonOptions {
  /** The two servers compared. */
  kinds: Comparison['kinds']
  connections: readonly number[]
  /** Rounds of each server, in turns. */
  pairs: number
  seconds: number
  seed?: number
}

/**
 * Runs a workload on two servers in turns (A B A B …), both freshly started and warmed up. No other
 * server runs meanwhile, which would take memory and processor cache.
 */
async function compareServers(
  { sql, issuer, load, database, serve }: Fixture,
  workload: Workload,
  { kinds, connections, pairs, seconds, seed = 1 }: ComparisonOptions
): Promise<Comparison[]> {
  const prepared = await workload.prepare(sql, seed)
  const tokens = await issuer.tokensOf(prepared.callers)
  const servers = [await serve(kinds[0]), await serve(kinds[1])] as const
  const job = { workload, prepared, tokens, seconds }
  const reset = async () => workload.reset?.(sql)

  async function compareWith(count: number): Promise<Comparison> {
    const pairsSoFar: Pair[] = []
    const result = { workload, kinds, connections: count, pairs: pairsSoFar, error: undefined }
    const round = async (at: 0 | 1) => {
      const measured = await load.play(servers[at], database.pid, { ...job, connections: count })
      await reset()
      return measured
    }
    try {
      // The first turn warms both up with this number of connections.
      for (let turn = -1; turn < pairs; turn++) {
        const pair = [await round(0), await round(1)] as const
        if (turn >= 0) pairsSoFar.push(pair)
      }
      return result
    } catch (error) {
      await reset()
      return { ...result, error: error instanceof Error ? error.message : String(error) }
    }
  }

  try {
    await assertAgreement(workload, prepared, tokens, servers)
    for (const server of servers)
      await warmUp(server, database.pid, load, { ...job, connections: connections[0] ?? 1 }, reset)
    const results: Comparison[] = []
    for (const count of connections) results.push(await compareWith(count))
    return results
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Number of requests whose responses are compared. */
const COMPARED_REQUESTS = 20

/**
 * Checks that all servers respond alike, so that none wins by responding less.
 * @throws Error with the first responses that differ.
 */
async function assertAgreement(
  workload: Workload,
  { requests }: Prepared,
  tokens: readonly string[],
  servers: readonly RunningServer[]
): Promise<void> {
  if (!workload.comparable) return
  for (const { method, path, token } of requests.slice(0, COMPARED_REQUESTS)) {
    const responses = await Promise.all(
      servers.map(async ({ kind, origin }) => {
        const response = await fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${tokens[token]}` }
        })
        const text = await response.text()
        if (response.status !== workload.status)
          throw new Error(`${kind.title} responds ${response.status} to ${path}: ${text.slice(0, 500)}`)
        return { kind, comparable: workload.comparable?.(JSON.parse(text)) }
      })
    )
    const [first, ...others] = responses
    const other = others.find(({ comparable }) => !isDeepStrictEqual(comparable, first?.comparable))
    if (first && other)
      throw new Error(
        `${first.kind.title} and ${other.kind.title} differ on ${path}:\n${JSON.stringify(first.comparable)}\n${JSON.stringify(other.comparable)}`
      )
  }
}

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    servers: { type: 'string', default: 'product,bare,bare-model' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8,32' },
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)
const [first, ...others] = serversNamed(values.servers)
if (!first || others.length === 0)
  throw new Error('Name two servers at least, such as --servers=product,bare.')
const options = {
  connections: values.connections.split(',').map(Number),
  pairs: Number(values.pairs),
  seconds: Number(values.seconds)
}

await withFixture({ scale }, async (fixture) => {
  const results: Comparison[] = []
  for (const workload of workloadsNamed(values.works))
    for (const other of others) {
      if ([first, other].some(({ without }) => without?.includes(workload.name))) continue
      const found = await compareServers(fixture, workload, { ...options, kinds: [first, other] })
      process.stdout.write(`${comparisonTable(found).join('\n')}\n`)
      results.push(...found)
    }
  if (values.write) writeBetweenMarks('compare', [circumstances(scale), '', ...comparisonTable(results)])
})
