import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { isAlive } from '../../src/embedded-postgres/processes.js'
import { postmasterOf } from '../fixtures/embedded.js'
import { temporaryFolder } from '../fixtures/server.js'

const settings = { fsync: 'off' }
const onLinux = process.platform === 'linux'
type Tap = Parameters<typeof temporaryFolder>[0]

/** A server on a folder, its warnings and failures, and functions that wait for them. */
async function watched(t: Tap, dataDir: string) {
  const said: string[] = []
  const failures: Error[] = []
  const server = await startEmbeddedPostgres({
    dataDir,
    settings,
    warn: (message) => said.push(message),
    failed: (error) => failures.push(error)
  })
  t.teardown(() => server.stop())
  const restarted = async (times: number) => {
    const count = () => said.filter((line) => line.includes('runs again')).length
    while (count() < times && failures.length === 0) await pause(10)
  }
  const failed = async () => {
    while (failures.length === 0) await pause(10)
    return failures[0]?.message ?? ''
  }
  const crash = () => process.kill(postmasterOf(dataDir), 'SIGKILL')
  return { server, said, restarted, failed, crash }
}

async function query({ url }: EmbeddedPostgres, statement: string): Promise<readonly unknown[]> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await client.unsafe(statement))]
  } finally {
    await client.end({ timeout: 1 })
  }
}

t.test('restarts a killed server in place after its backends are gone', async (t) => {
  const folder = temporaryFolder(t)
  const { server, said, restarted, crash } = await watched(t, folder)
  await query(server, 'create table kept as select 1 as value')
  // A busy backend does not notice that its server is gone.
  const busy = postgres(server.url, { max: 1, onnotice: () => {} })
  t.teardown(() => busy.end({ timeout: 0 }))
  const [row] = await busy<{ pid: number }[]>`select pg_backend_pid() as pid`
  const computing = busy`select count(*) from generate_series(1, 1000000000000)`.catch(() => 'lost')
  const isComputing = async () =>
    (await query(server, `select from pg_stat_activity where pid = ${row?.pid} and state = 'active'`))
      .length > 0
  while (!(await isComputing())) await pause(10)

  const killed = postmasterOf(folder)
  crash()
  await restarted(1)
  t.match(said[0], new RegExp(`pid ${killed}.*exited unexpectedly .SIGKILL.`))
  t.match(said.at(-1), /runs again \(pid \d+\)/)
  t.not(postmasterOf(folder), killed)
  if (onLinux) t.notOk(isAlive(row?.pid ?? 0), 'the busy backend was ended')
  t.equal(await computing, 'lost')
  t.same(await query(server, 'select value from kept'), [{ value: 1 }], 'under the same URL')

  const second = postmasterOf(folder)
  const lines = said.length
  await server.stop()
  t.notOk(isAlive(second))
  t.equal(said.length, lines, 'a stopped server is not restarted')
})

t.test('reports why a server cannot restart and releases its folder', async (t) => {
  const folder = temporaryFolder(t)
  const { server, failed, crash } = await watched(t, folder)
  const file = join(folder, 'cluster/data/postgresql.conf')
  const text = await readFile(file, 'utf8')
  await appendFile(file, '\nno_such_setting = 1\n')
  crash()
  t.match(
    await failed(),
    /exited unexpectedly and cannot be restarted.*no_such_setting.*start this program again/s
  )
  await server.stop()
  await writeFile(file, text)
  const next = await watched(t, folder)
  t.same(await query(next.server, 'select 1 as one'), [{ one: 1 }])
})

t.test('gives up a server that is killed repeatedly', async (t) => {
  // The clock stands still, so that all restarts fall within the same minute.
  const now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  const folder = temporaryFolder(t)
  const { failed, said, restarted, crash } = await watched(t, folder)
  for (let times = 1; times <= 5; times++) {
    crash()
    await restarted(times)
  }
  crash()
  t.match(await failed(), /cannot be restarted. It exited 6 times within 60 seconds/)
  t.equal(said.filter((line) => line.includes('runs again')).length, 5)
})

t.test('a server stopped during its restart is gone afterwards', async (t) => {
  const folder = temporaryFolder(t)
  const { server, said, crash } = await watched(t, folder)
  crash()
  while (said.length === 0) await pause(1)
  await server.stop()
  t.equal(postmasterOf(folder), 0)
})

t.test('restarts a server that is killed while it starts', async (t) => {
  const folder = temporaryFolder(t)
  const first = await watched(t, folder)
  await first.server.stop()
  const starting = watched(t, folder)
  while (postmasterOf(folder) === 0) await pause(1)
  process.kill(postmasterOf(folder), 'SIGKILL')
  const { server, restarted } = await starting
  if (postmasterOf(folder) === 0) await restarted(1)
  t.same(await query(server, 'select 1 as one'), [{ one: 1 }])
})

t.test('does not touch a PostgreSQL that serves another folder', async (t) => {
  const [own, other] = [temporaryFolder(t), temporaryFolder(t)]
  const neighbour = await watched(t, other)
  const stopped = await watched(t, own)
  await stopped.server.stop()
  // The pid file of the killed server names a process that now is another PostgreSQL.
  const pid = postmasterOf(other)
  const started = await query(neighbour.server, 'select pg_postmaster_start_time()')
  const left = `${pid}\n/proc/self/cwd\n1\n5432\n\n127.0.0.1\n1 1\nready\n`
  await writeFile(join(own, 'cluster/data/postmaster.pid'), left)
  const { server, restarted, crash } = await watched(t, own)
  crash()
  await restarted(1)
  t.same(await query(server, 'select 1 as one'), [{ one: 1 }])
  t.ok(isAlive(pid))
  t.same(await query(neighbour.server, 'select pg_postmaster_start_time()'), started)
  t.same(neighbour.said, [])
})
