import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { clusterNodes, finishPrepared } from '../fixtures/distributed.js'
import { effort } from '../fixtures/effort.js'
import { instanceAt, instanceSettings, underWriters } from '../fixtures/history/run.js'
import { historyFindings } from '../fixtures/history/stored.js'
import { callersOf } from '../fixtures/over-http.js'
import { startServer } from '../fixtures/server.js'
import { world } from '../fixtures/world.js'

const ROUNDS = 4
const skip =
  process.env.TEST_CLUSTER !== 'true' && 'TEST_DATABASE_URL is not the coordinator of a Citus cluster'

t.test('nothing is lost when nodes lose their connections under eight writers', { skip }, async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const coordinator = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => coordinator.end())
  const server = await startServer(t, { ...instanceSettings, REQUEST_TIMEOUT: '5000', DATABASE_URL })
  await server.ready()
  const nodes = await clusterNodes(coordinator)
  const limit = AbortSignal.timeout(120_000)
  const writers = {
    name: 'node',
    world: await world({ as: callersOf(server.url) }),
    instances: [instanceAt(server.url)],
    check: () => limit.throwIfAborted()
  }
  const run = await underWriters(writers, async (progress) => {
    for (const { host, port } of Array.from({ length: ROUNDS * effort }, () => nodes).flat()) {
      await progress()
      const url = Object.assign(new URL(DATABASE_URL), { hostname: host, port: String(port) }).href
      const node = postgres(url, { max: 1, onnotice: () => {} })
      await node`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
      await node.end()
      await progress()
    }
  })
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  await finishPrepared(sql)
  // A change that a worker has not finished yet is invisible for some seconds, and so is refused what
  // follows it: then the order takes the line along, a change that nobody requested.
  const findings = await historyFindings(sql, run)
  t.same(
    findings.filter(({ kind }) => kind !== 'phantom'),
    []
  )
  t.same(
    run.unexpected.filter((response) => /: 5\d\d /.test(response)),
    []
  )
  t.ok(
    run.attempts.some(({ outcome }) => outcome !== 'acknowledged'),
    'the failures were noticed'
  )
})
