import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withFixture } from './fixture.js'
import type { PollsAsked, PollsSeen } from './polls/programs.js'
import { type Measured, warmUp } from './round.js'
import { serversNamed } from './servers.js'
import { circumstances, median, writeBetweenMarks } from './table.js'
import { workloadsNamed } from './workloads/all.js'
import { partyUrl } from './workloads/workload.js'

/**
 * How the programs of providers that poll for changed orders every second slow down other requests:
 * `npm --prefix bench run polls -- [--scale=0.05] [--programs=200] [--works=w1] [--pairs=4]
 * [--connections=8] [--seconds=4] [--write]`.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.05' },
    programs: { type: 'string', default: '200' },
    works: { type: 'string', default: 'w1' },
    pairs: { type: 'string', default: '4' },
    connections: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false }
  }
})
const [count, pairs, connections, seconds] = [
  values.programs,
  values.pairs,
  values.connections,
  values.seconds
].map(Number) as [number, number, number, number]

await withFixture({ scale: Number(values.scale) }, async ({ database, sql, issuer, load, serve }) => {
  const [kind] = serversNamed('product')
  if (!kind) return
  const sellers = await sql<{ id: string; organization: string }[]>`
    select id, organization from parties p where exists (select from orders where seller_id = p.id) order by id`
  const sellerTokens = await issuer.tokensOf(
    sellers.map(({ organization }) => ({ userType: 'Provider', organization }))
  )
  const programs = Array.from({ length: count }, (_, each) => {
    const at = each % sellers.length
    return {
      path: `/ssl-order/v1/orders?seller=${encodeURIComponent(partyUrl(sellers[at]?.id ?? ''))}`,
      token: sellerTokens[at] ?? ''
    }
  })
  const child = fork(join(import.meta.dirname, 'polls', 'programs.ts'), { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  const lines = [
    '| workload | requests/s without : with polls | p50 ms | p99 ms | ratio of p99 | polls/s by status |',
    '|---|---|---|---|---|---|'
  ]
  for (const workload of workloadsNamed(values.works)) {
    const prepared = await workload.prepare(sql, 1)
    const tokens = await issuer.tokensOf(prepared.callers)
    const server = await serve(kind)
    const job = { workload, prepared, tokens, connections, seconds }
    const reset = async () => workload.reset?.(sql)
    await warmUp(server, database.pid, load, job, reset)
    const play = async () => {
      const measured = await load.play(server, database.pid, job)
      await reset()
      return measured
    }
    const [without, beside]: [Measured[], Measured[]] = [[], []]
    const polls: PollsSeen = {}
    let polled = 0
    for (let turn = 0; turn < pairs; turn++) {
      without.push(await play())
      const began = performance.now()
      child.send({ origin: server.origin, programs } satisfies PollsAsked)
      beside.push(await play())
      child.send('stop')
      const [seen] = (await once(child, 'message')) as [PollsSeen | { error: string }]
      if ('error' in seen) throw new Error(seen.error)
      for (const [status, found] of Object.entries(seen))
        polls[Number(status)] = (polls[Number(status)] ?? 0) + found
      polled += (performance.now() - began) / 1000
    }
    await server.stop()
    const both = (of: (round: Measured) => number) =>
      [without, beside].map((rounds) => median(rounds.map(of)).toFixed(1)).join(' : ')
    const ratio = median(without.map((round, turn) => (beside[turn]?.p99 ?? 0) / round.p99)).toFixed(2)
    const statuses = Object.entries(polls).map(
      ([status, found]) => `${Math.round(found / polled)} × ${status}`
    )
    lines.push(
      `| ${workload.name.toUpperCase()} ${workload.title} | ${both(({ perSecond }) => perSecond)} | ${both(({ p50 }) => p50)} | ${both(({ p99 }) => p99)} | ${ratio} | ${statuses.join(', ')} |`
    )
    process.stdout.write(`${lines.at(-1)}\n`)
  }
  child.disconnect()
  if (values.write) writeBetweenMarks('polls', [circumstances(Number(values.scale)), '', ...lines])
})
