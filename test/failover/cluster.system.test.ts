import { availableParallelism } from 'node:os'
import t from 'tap'
import { differencesIn } from '../fixtures/copies.js'
import { startCluster } from '../fixtures/failover/cluster.js'
import { skip } from '../fixtures/failover/programs.js'
import type { Run } from '../fixtures/history/client.js'
import { countOutcomes, instanceAt, instanceSettings, underWriters } from '../fixtures/history/run.js'
import { historyFindings } from '../fixtures/history/stored.js'
import { callersOf } from '../fixtures/over-http.js'
import { startServer } from '../fixtures/server.js'
import { world } from '../fixtures/world.js'

const rounds = [
  ...(['switchover', 'kill', 'freeze', 'switchover', 'kill'] as const),
  ...(['kill', 'switchover', 'freeze', 'switchover', 'kill'] as const)
]
const TIME_LIMIT_MS = 440_000

t.test('a Patroni cluster under eight writers', { skip }, async (t) => {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS)
  const cluster = await startCluster(t, limit)
  await cluster.settled()
  const start = async (DATABASE_URL: string) => {
    const server = await startServer(t, { ...instanceSettings, REQUEST_TIMEOUT: '5000', DATABASE_URL })
    await server.ready()
    return server.url
  }
  const urls = [await start(cluster.urls.nodes), await start(cluster.urls.haproxy)]
  const instances = urls.map(instanceAt)
  const writers = {
    world: await world({ as: callersOf(urls[0] ?? '') }),
    instances,
    isSticky: true,
    check: () => limit.throwIfAborted()
  }
  const findings = (run: Run) => cluster.query((sql) => historyFindings(sql, run))

  t.test('nothing acknowledged is lost, doubled or reordered when the leader fails', async (t) => {
    const outages: string[] = []
    const run = await underWriters({ ...writers, name: 'sync' }, async (progress, { attempts }) => {
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
        const gaps = instances.map((each) =>
          longestGap(
            attempts.flatMap(({ instance, acknowledgedAt = 0 }) => (instance === each ? acknowledgedAt : [])),
            start
          )
        )
        outages.push(`${round} ${gaps.join('/')}`)
        if (round === 'switchover') continue
        // A frozen node does not continue, as one that lost its power.
        await cluster.kill(leader)
        leader.replace()
      }
    })
    t.comment(`seconds without writes, by the list of nodes/through haproxy: ${outages.join(', ')}`)
    t.comment(`${countOutcomes(run)}, ${availableParallelism()} processors`)
    t.same(await findings(run), [])
    t.same(await cluster.query(differencesIn), [])
    t.same([...new Set(run.unexpected)], [], 'there are no other responses')
    t.ok(
      run.attempts.some(({ outcome }) => outcome !== 'acknowledged'),
      'the failures were noticed'
    )
  })

  t.test('the checker finds what an asynchronous cluster loses', async (t) => {
    await cluster.settled()
    await cluster.configure({ synchronous_mode: false })
    await cluster.settled(false)
    const run = await underWriters({ ...writers, name: 'async' }, async (progress) => {
      await progress()
      const leader = await cluster.elected()
      const resume = cluster.stopReceiving()
      await progress()
      await cluster.kill(leader)
      resume()
      await cluster.elected(leader.name)
      await progress()
    })
    const lost = (await findings(run)).filter(({ kind }) => kind === 'lost')
    t.comment(`${lost.length} changes lost`)
    t.ok(lost.length > 0)
  })
})

/** The longest time between two acknowledged writes after `start`, in seconds. */
function longestGap(times: readonly number[], start: number): string {
  const after = [start, ...times.filter((time) => time > start).toSorted((a, b) => a - b)]
  const gaps = after.slice(1).map((time, index) => time - (after[index] as number))
  return (Math.max(...gaps) / 1000).toFixed(1)
}
