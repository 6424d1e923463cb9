import { setTimeout as pause } from 'node:timers/promises'
import { sql as drizzleSql } from 'drizzle-orm'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { assertStatementTimeout, connect } from '../../src/db/driver/database.js'
import { migrate } from '../../src/db/migrate.js'
import { unitOfWork } from '../../src/db/unit-of-work.js'
import { cloneDatabase } from '../fixtures/app.js'
import { databaseProxy } from '../fixtures/database-proxy.js'
import { limitStatements, skipPgBouncer, startPgBouncer } from '../fixtures/pgbouncer.js'

/** Two server connections for a larger number of clients. */
const sharing = { default_pool_size: '2' }

/** A database, direct and through PgBouncer, as the program uses it. */
async function pooledDatabase(t: Test, template?: string) {
  const url = await cloneDatabase(t, template)
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  t.teardown(() => sql.end())
  const proxy = await databaseProxy(url)
  t.teardown(() => proxy.close())
  const pooler = await startPgBouncer(proxy.url, sharing)
  t.teardown(() => pooler.stop())
  const pooledUrl = pooler.through(url)
  const { db, close } = connect({
    url: pooledUrl,
    maxConnections: 6,
    pooler: 'transaction',
    statementTimeoutMs: 60_000
  })
  t.teardown(close)
  return { url, sql, proxy, pooledUrl, db }
}

/** Number of queries of each client while it shares server connections with other clients. */
const QUERIES = 500

t.test('through PgBouncer in transaction mode', { skip: skipPgBouncer }, async (t) => {
  const { sql, proxy, db } = await pooledDatabase(t)
  await sql`create table numbers (number int)`
  const numbers = async () => (await sql`select number from numbers`).map(({ number }) => number)
  const insert = (number: number) => db.execute(drizzleSql`insert into numbers values (${number})`)
  t.beforeEach(() => sql`delete from numbers`)

  t.test('a transaction keeps its connection, and leaves no statement prepared', async (t) => {
    let begun = 0
    const backends = await Promise.all(
      Array.from({ length: 20 }, () =>
        unitOfWork({ db }, null, async ({ tx }) => {
          const pid = async () =>
            (await tx.execute(drizzleSql`select ${1}::int, pg_backend_pid() as pid`))[0]?.pid
          const first = await pid()
          begun++
          // At least two connections are open at once.
          while (begun < 2) await pause(1)
          return [first, await pid(), await pid()]
        })
      )
    )
    for (const pids of backends) t.equal(new Set(pids).size, 1)
    t.equal(new Set(backends.flat()).size, 2, 'two connections were shared')
    const prepared = await Promise.all(
      Array.from({ length: 20 }, () =>
        db.execute(drizzleSql`select name from pg_prepared_statements where name <> ''`)
      )
    )
    t.same(
      prepared.flatMap((rows) => [...rows]),
      []
    )
  })

  t.test('each statement gets its own parameters, columns and response', async (t) => {
    const results = await Promise.all(
      Array.from({ length: QUERIES }, (_, at) => {
        // Texts differ, so that a statement of another client would have another result.
        const column = drizzleSql.identifier(`c${at % 7}`)
        // A statement without parameters is sent at once. A statement with parameters first
        // requests their types.
        const [value, texts] =
          at % 2 === 0
            ? [drizzleSql.raw(`${at}`), drizzleSql.raw(`'{a,${at}}'`)]
            : [drizzleSql`${at}`, drizzleSql.param(['a', `${at}`])]
        return db.execute(drizzleSql`select ${value}::int as ${column}, ${texts}::text[] as texts`)
      })
    )
    t.same(
      results.map(([row]) => row),
      results.map((_, at) => ({ [`c${at % 7}`]: at, texts: `{a,${at}}` }))
    )
  })

  t.test('a lost server connection is reported by its effect on the statement', async (t) => {
    proxy.cut('after', /insert into numbers/, false)
    await t.rejects(insert(1), { cause: { code: '08007' } })
    t.same(await numbers(), [1], 'it took effect')
    proxy.restore()
    await t.rejects(
      unitOfWork({ db }, null, async ({ tx }) => {
        await tx.execute(drizzleSql`insert into numbers values (2)`)
        proxy.refuse()
        proxy.restore()
        await tx.execute(drizzleSql`insert into numbers values (3)`)
      }),
      { cause: { code: '08006' } }
    )
    t.same(await numbers(), [1], 'nothing of the transaction took effect')
    await insert(4)
    t.same(await numbers(), [1, 4])
  })
})

t.test('migrations through PgBouncer', { skip: skipPgBouncer }, async (t) => {
  const { sql, pooledUrl } = await pooledDatabase(t, 'template0')
  const locks = async () =>
    (
      await sql`
    select pid from pg_locks join pg_database on datname = current_database() and oid = database
    where locktype = 'advisory'`
    ).length
  await Promise.all([1, 2, 3, 4].map(() => migrate(pooledUrl)))
  const [row] = await sql`select count(*)::int as migrations, count(distinct hash)::int as different
    from drizzle.__drizzle_migrations`
  t.ok(row?.migrations > 0)
  t.equal(row?.migrations, row?.different, 'each is applied once')
  t.equal(await locks(), 0, 'no lock stays in a connection of the pooler')

  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 99999999999999)`
  await t.rejects(migrate(pooledUrl), /another version/)
  t.equal(await locks(), 0, 'nor after a failure')
})

t.test('the time limit of statements through PgBouncer', { skip: skipPgBouncer }, async (t) => {
  const { sql, db, url } = await pooledDatabase(t)
  /** PgBouncer opens its connections again. */
  async function limit(milliseconds: number): Promise<void> {
    await limitStatements(url, milliseconds)
    await sql`select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and application_name = 'ssl-backend'`
    while (true) {
      const [row] = await db
        .execute(drizzleSql`select current_setting('statement_timeout') as value`)
        .catch(() => [])
      if (row) return
      await pause(5)
    }
  }
  for (const [milliseconds, isAccepted] of [
    [0, false],
    [37_501, false],
    [37_500, true],
    [1000, true]
  ] as const) {
    await limit(milliseconds)
    const checked = assertStatementTimeout(db, 37_500)
    if (isAccepted) await checked
    else await t.rejects(checked, /alter role \S+ set statement_timeout = '37500ms'.*RECONNECT/)
  }
  await limit(50)
  await t.rejects(db.execute(drizzleSql`select pg_sleep(3600)`), { cause: { code: '57014' } })
  t.pass('PostgreSQL ends a statement that takes longer')
})
