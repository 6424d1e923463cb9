import { availableParallelism } from 'node:os'
import t from 'tap'
import { startCluster } from '../fixtures/failover/cluster.js'
import { checkHistory } from '../fixtures/failover/history.js'
import { missingPrograms, notWanted } from '../fixtures/failover/programs.js'
import { inconsistentOrders, startInstances, traceOf, underWriters } from '../fixtures/failover/run.js'

const rounds = [
  ...(['switchover', 'kill', 'freeze', 'switchover', 'kill'] as const),
  ...(['kill', 'switchover', 'freeze', 'switchover', 'kill'] as const)
]
const TIME_LIMIT_MS = 440_000

t.test('a Patroni cluster under eight writers', { skip: notWanted }, async (t) => {
  t.same(missingPrograms(), [], 'its programs are installed')
  const limit = AbortSignal.timeout(TIME_LIMIT_MS)
  const cluster = await startCluster(t, limit)
  await cluster.settled()
  const instances = await startInstances(t, cluster)
  const histories = (name: string) =>
    cluster.query(async (sql) => ({
      trace: await traceOf(sql, name),
      inconsistent: await inconsistentOrders(sql, name)
    }))

  t.test('nothing acknowledged is lost, doubled or reordered when the leader fails', async (t) => {
    const outages: string[] = []
    const records = await underWriters(instances, 'sync', limit, async (progress, records) => {
      for (const round of rounds) {
        await cluster.settled()
        await progress()
        const leader = await cluster.elected()
        const start = performance.now()
        if (round === 'switchover') await cluster.switchOver()
        else if (round === 'kill') await cluster.kill(leader)
        else cluster.freeze(leader)
        await cluster.elected(leader.name)
        await progress()
        const gaps = records.map(({ acknowledgedAt }) => longestGap(acknowledgedAt, start))
        outages.push(`${round} ${gaps.join('/')}`)
        if (round === 'switchover') continue
        // A frozen node does not continue, as one that lost its power.
        await cluster.kill(leader)
        leader.replace()
      }
    })
    const { trace, inconsistent } = await histories('sync')
    const attempts = records.flatMap((record) => record.attempts)
    const count = (wanted: string) => attempts.filter(({ outcome }) => outcome === wanted).length
    t.comment(`seconds without writes, by the list of nodes/through haproxy: ${outages.join(', ')}`)
    t.comment(
      `${count('acknowledged')} acknowledged, ${count('refused')} refused, ${count('unknown')} unknown, ` +
        `${trace.length} trace lines, ${availableParallelism()} processors`
    )
    t.same(checkHistory(attempts, trace), [])
    t.same(inconsistent, [], 'each order has the status and the length of its trace')
    t.same([...new Set(records.flatMap(({ unexpected }) => unexpected))], [], 'there are no other responses')
    t.ok(count('refused') + count('unknown') > 0, 'the failures were noticed')
  })

  t.test('the checker finds what an asynchronous cluster loses', async (t) => {
    await cluster.settled()
    await cluster.configure({ synchronous_mode: false })
    await cluster.settled(false)
    const records = await underWriters(instances, 'async', limit, async (progress) => {
      await progress()
      const leader = await cluster.elected()
      const resume = cluster.stopReceiving()
      await progress()
      await cluster.kill(leader)
      resume()
      await cluster.elected(leader.name)
      await progress()
    })
    const { trace } = await histories('async')
    const attempts = records.flatMap((record) => record.attempts)
    const lost = checkHistory(attempts, trace).filter(({ kind }) => kind === 'lost')
    t.comment(`${lost.length} moves lost`)
    t.ok(lost.length > 0)
  })
})

/** The longest time between two acknowledged writes after `start`, in seconds. */
function longestGap(times: readonly number[], start: number): string {
  const after = [start, ...times.filter((time) => time > start)]
  const gaps = after.slice(1).map((time, index) => time - (after[index] as number))
  return (Math.max(...gaps) / 1000).toFixed(1)
}
