import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { limitStatements, skip, startPgBouncer } from '../fixtures/pgbouncer.js'
import { startServer } from '../fixtures/server.js'

/** An empty database with a time limit of statements, and the settings to use it through PgBouncer. */
async function pooledDatabase(t: Test, limit = 60_000) {
  const url = await cloneDatabase(t, 'template0')
  const pooler = await startPgBouncer(url)
  t.teardown(() => pooler.stop())
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  await limitStatements(url, limit)
  return { sql, env: { DATABASE_URL: pooler.through(url), DATABASE_POOLER: 'transaction' } }
}

async function failureOf(t: Test, env: Record<string, string>): Promise<string> {
  const server = await startServer(t, env)
  const closed = once(server.process, 'close')
  await t.rejects(server.ready(), 'it does not start')
  if (server.process.exitCode !== null) await closed
  return server.output()
}

t.test('instances start at once through PgBouncer and report what they wait for', { skip }, async (t) => {
  const { sql, env } = await pooledDatabase(t)
  await sql`select pg_advisory_lock(5417264)`
  const servers = await Promise.all([1, 2].map(() => startServer(t, env)))
  for (const { output, process } of servers)
    while (
      !/Waiting for the migration lock \(advisory lock 5417264\) for \d+ s\. PostgreSQL process/.test(
        output()
      )
    ) {
      if (process.exitCode !== null) throw new Error(output())
      await pause(20)
    }
  await sql`select pg_advisory_unlock_all()`
  await Promise.all(servers.map(({ ready }) => ready()))
  const [row] =
    await sql`select count(*) - count(distinct hash) as repeated from drizzle.__drizzle_migrations`
  t.equal(Number(row?.repeated), 0, 'the migrations ran once')
  t.same(await Promise.all(servers.map(({ stop }) => stop())), [0, 0])
})

t.test('a start through PgBouncer reports which setting is missing', { skip }, async (t) => {
  const { env } = await pooledDatabase(t, 0)
  const { DATABASE_URL } = env
  t.match(await failureOf(t, { DATABASE_URL }), /statement_timeout\n.*set DATABASE_POOLER=transaction/)
  t.match(
    await failureOf(t, { ...env, REQUEST_TIMEOUT: '30000' }),
    /^The statement_timeout of the role \S+ is 0 ms .*alter role \S+ set statement_timeout = '37500ms'/
  )
})
