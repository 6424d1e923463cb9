import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase, type TestApp } from '../fixtures/app.js'
import { clusterNodes, finishPrepared } from '../fixtures/distributed.js'
import { checkHistory } from '../fixtures/failover/history.js'
import { callersOf } from '../fixtures/failover/over-http.js'
import { inconsistentOrders, instanceSettings, traceOf, underWriters } from '../fixtures/failover/run.js'
import { startServer } from '../fixtures/server.js'
import { world } from '../fixtures/world.js'

const ROUNDS = 4
const skip =
  process.env.TEST_CLUSTER !== 'true' && 'TEST_DATABASE_URL is not the coordinator of a Citus cluster'

t.test('nothing is lost when nodes lose their connections under eight writers', { skip }, async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const coordinator = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => coordinator.end())
  const server = await startServer(t, { ...instanceSettings, DATABASE_URL })
  await server.ready()
  const instance = await world({ as: callersOf(server.url) } as TestApp)
  const nodes = await clusterNodes(coordinator)
  const [record] = await underWriters([instance], 'node', AbortSignal.timeout(120_000), async (progress) => {
    for (const { host, port } of Array.from({ length: ROUNDS }, () => nodes).flat()) {
      await progress()
      const url = Object.assign(new URL(DATABASE_URL), { hostname: host, port: String(port) }).href
      const node = postgres(url, { max: 1, onnotice: () => {} })
      await node`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
      await node.end()
      await progress()
    }
  })
  const { attempts = [], unexpected = [] } = record ?? {}
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  await finishPrepared(sql)
  // A change that a worker has not finished yet is invisible for some seconds, and so is refused what
  // follows it: then the order takes the line along, a move that nobody asked for.
  const findings = checkHistory(attempts, await traceOf(sql, 'node'))
  t.same(
    findings.filter(({ kind }) => kind !== 'phantom'),
    []
  )
  t.same(await inconsistentOrders(sql, 'node'), [], 'each order has the status and the length of its trace')
  t.same(
    [...new Set(unexpected)].filter((response) => response.startsWith('5')),
    []
  )
  t.ok(
    attempts.some(({ outcome }) => outcome !== 'acknowledged'),
    'the failures were noticed'
  )

  const moves = await sql<{ id: string; moves: number }[]>`
    select order_id as id, count(*)::int as moves from trace_lines
    where order_line_id is null and new_status is not null group by 1`
  const events = await sql<{ id: string; moves: number }[]>`
    select subject_id as id, count(*)::int as moves from events
    where type in ('order.submitted', 'order.status-changed') group by 1`
  const byId = (rows: typeof moves) => new Map(rows.map((row) => [row.id, row.moves]))
  t.same(byId(events), byId(moves), 'each move has one event')
})
