import { setImmediate as immediate } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { parseDatabaseUrl } from '../../src/db/database-url.js'
import { Connection } from '../../src/db/driver/connection.js'
import { createPool } from '../../src/db/driver/pool.js'
import { type Executor, preparedQueries } from '../../src/db/driver/query.js'
import { cloneDatabase } from '../fixtures/app.js'
import { beginMessage, commitMessage, databaseProxy } from '../fixtures/database-proxy.js'

/** The statement was never sent, or its transaction was rolled back. */
const noEffect = { name: 'ConnectionLostError', code: '08006' }
/** The statement was sent and got no response. */
const unknown = { name: 'ConnectionLostError', code: '08007' }

t.test('the SQLSTATE of a lost connection says whether a statement may have taken effect', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const proxy = await databaseProxy(url)
  t.teardown(async () => {
    proxy.close()
    await sql.end()
  })
  await sql`create table texts (text text)`
  const texts = async () => (await sql`select text from texts order by text`).map(({ text }) => text)
  const add = (to: Executor, text: string) =>
    Promise.resolve(to.unsafe('insert into texts values ($1)', [text]))
  const options = { connection: { application_name: 'cut' }, onnotice: () => {} }
  t.beforeEach(() => sql`delete from texts`)

  const kill = () => sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'cut'`

  /** A connection with the queries of the pool. */
  function connect() {
    const connection = new Connection(parseDatabaseUrl(proxy.url), options)
    return Object.assign(connection, { unsafe: preparedQueries(connection.execute) })
  }

  /** An open connection. */
  async function session(t: { teardown(end: () => unknown): void }) {
    const opened = connect()
    t.teardown(() => opened.end())
    t.teardown(() => proxy.restore())
    await add(opened, 'first')
    return opened
  }

  t.test('lost between the statement and its response', async (t) => {
    const opened = await session(t)
    proxy.cut('after', /second/)
    await t.rejects(add(opened, 'second'), unknown)
    t.same(await texts(), ['first', 'second'])
    await t.rejects(add(opened, 'third'), noEffect, 'later statements are not sent')
    proxy.restore()
    t.same(await texts(), ['first', 'second'])
  })

  t.test('lost before the statement reaches PostgreSQL', async (t) => {
    const opened = await session(t)
    proxy.cut('before', /second/)
    await t.rejects(add(opened, 'second'), unknown)
    t.same(await texts(), ['first'])
  })

  t.test('lost with several statements in flight', async (t) => {
    const opened = await session(t)
    proxy.cut('after', /fourth/)
    const all = ['second', 'third', 'fourth'].map((text) => t.rejects(add(opened, text), unknown))
    await Promise.all(all)
  })

  t.test('lost while idle', async (t) => {
    const opened = await session(t)
    await kill()
    while (opened.state !== 'lost') await immediate()
    await t.rejects(add(opened, 'second'), noEffect)
    t.same(await texts(), ['first'])
    const pool = createPool(proxy.url, 1, options)
    t.teardown(() => pool.end())
    await add(pool, 'third')
    await kill()
    proxy.refuse()
    const refused = await add(pool, 'fourth').catch(({ code }) => code)
    t.match(refused, /^0800[67]$/)
    proxy.restore()
    await add(pool, 'fifth')
    t.same(await texts(), ['fifth', 'first', 'third'])
  })

  t.test('a connection that never opens', async (t) => {
    for (const point of ['before', 'after'] as const) {
      const opened = connect()
      t.teardown(() => opened.end())
      proxy.cut(point, /user\0/)
      const all = ['first', 'second'].map((text) => t.rejects(add(opened, text), noEffect, point))
      await Promise.all(all)
      t.ok(proxy.restore())
    }
    t.same(await texts(), [])
  })

  const transaction = (opened: Connection) =>
    opened.begin(async (tx) => {
      await add(tx, 'second')
      await add(tx, 'third')
    })
  const all = ['first', 'second', 'third']
  const cases = [
    { when: 'after its commit', point: 'after', message: commitMessage, error: unknown, left: all },
    {
      when: 'before its commit arrives',
      point: 'before',
      message: commitMessage,
      error: unknown,
      left: ['first']
    },
    { when: 'after its begin', point: 'after', message: beginMessage, error: noEffect, left: ['first'] },
    { when: 'after a statement', point: 'after', message: /third/, error: noEffect, left: ['first'] },
    {
      when: 'before a statement arrives',
      point: 'before',
      message: /third/,
      error: noEffect,
      left: ['first']
    }
  ] as const
  for (const { when, point, message, error, left } of cases)
    t.test(`a transaction whose connection is lost ${when}`, async (t) => {
      const opened = await session(t)
      proxy.cut(point, message)
      await t.rejects(transaction(opened), error)
      t.ok(proxy.restore())
      t.same(await texts(), left)
    })

  t.test('an error of PostgreSQL is passed on unchanged', async (t) => {
    const opened = await session(t)
    await t.rejects(Promise.resolve(opened.unsafe('select 1 / 0')), { code: '22012' })
    // Without disk space or memory PostgreSQL rejects a statement and keeps the connection.
    const full = `do $$ begin raise exception using errcode = '53100'; end $$`
    await t.rejects(Promise.resolve(opened.unsafe(full)), { code: '53100' })
    await add(opened, 'second')
    t.same(await texts(), ['first', 'second'])
  })
})
