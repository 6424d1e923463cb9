import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { postmasterOf } from '../fixtures/kill.js'
import { queryOnce } from '../fixtures/query-once.js'
import { temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'

const settings = { fsync: 'off' }

/** A server on a folder, and the error of its unexpected exit. */
async function watched(t: Test, dataDir: string) {
  let failed: (error: Error) => void
  const failure = new Promise<Error>((resolve) => {
    failed = resolve
  })
  const server = await startEmbeddedPostgres({ dataDir, settings, failed: (error) => failed(error) })
  t.teardown(() => server.stop())
  return { server, failure }
}

const crash = (dataDir: string) => process.kill(postmasterOf(dataDir), 'SIGKILL')

t.test('says that a server was killed, and starts again when its last statement has ended', async (t) => {
  const folder = temporaryFolder(t)
  const { server, failure } = await watched(t, folder)
  await queryOnce(server.url, 'create table kept as select 1 as value')
  // A busy backend does not notice the end of its server.
  const busy = postgres(server.url, { max: 1, onnotice: () => {} })
  t.teardown(() => busy.end({ timeout: 0 }))
  const untilStopped = `do $$ begin loop exit when (pg_stat_file('stop', true)).size is not null; end loop; end $$`
  const computing = busy.unsafe(untilStopped).catch(() => {})
  const active = `select from pg_stat_activity where state = 'active' and query like '%pg_stat_file(''stop''%'`
  await until(async () => (await queryOnce(server.url, `${active} and pid <> pg_backend_pid()`)).length > 0)

  crash(folder)
  t.match(await failure, { message: /exited unexpectedly \(SIGKILL\).*Start this program again/ })
  await server.stop()
  const starting = watched(t, folder)
  const log = () => readFile(join(folder, 'postgres.log'), 'utf8').catch(() => '')
  const waits = process.platform === 'linux' ? 'Waits for processes' : 'pre-existing shared memory block'
  await until(async () => (await log()).includes(waits))
  await writeFile(join(folder, 'cluster/data/stop'), '')
  t.same(await queryOnce((await starting).server.url, 'select value from kept'), [{ value: 1 }])
  await computing
})

t.test('finds a server only after it has written its port and accepts connections', async (t) => {
  const folder = temporaryFolder(t)
  const { server } = await watched(t, folder)
  t.equal(await findEmbeddedPostgres(folder), server.url)
  const pidFile = join(folder, 'cluster/data/postmaster.pid')
  const complete = await readFile(pidFile, 'utf8')
  for (const lines of [1, 7]) {
    await writeFile(pidFile, `${complete.split('\n').slice(0, lines).join('\n')}\n`)
    t.equal(await findEmbeddedPostgres(folder), undefined, `${lines} lines`)
  }
  await writeFile(pidFile, complete)
  await server.stop()
  t.equal(await findEmbeddedPostgres(folder), undefined)
})

t.test('starts after a server that was killed while it started', async (t) => {
  const folder = temporaryFolder(t)
  await (await watched(t, folder)).server.stop()
  const starting = watched(t, folder).catch((error) => error)
  while (postmasterOf(folder) === 0) await pause(1)
  crash(folder)
  const result = await starting
  if (result instanceof Error) t.match(result.message, /PostgreSQL did not start|CONNECTION|ECONN/)
  else await result.failure.then(() => result.server.stop())
  t.same(await queryOnce((await watched(t, folder)).server.url, 'select 1 as one'), [{ one: 1 }])
})

t.test('does not touch a PostgreSQL that serves another folder', async (t) => {
  const [own, other] = [temporaryFolder(t), temporaryFolder(t)]
  const neighbour = await watched(t, other)
  const stopped = await watched(t, own)
  await stopped.server.stop()
  // The process id in the pid file of the killed server now belongs to another PostgreSQL.
  const started = await queryOnce(neighbour.server.url, 'select pg_postmaster_start_time()')
  const left = `${postmasterOf(other)}\n/proc/self/cwd\n1\n5432\n\n127.0.0.1\n1 1\nready\n`
  await writeFile(join(own, 'cluster/data/postmaster.pid'), left)
  const { server } = await watched(t, own)
  t.same(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }])
  t.same(await queryOnce(neighbour.server.url, 'select pg_postmaster_start_time()'), started)
})
