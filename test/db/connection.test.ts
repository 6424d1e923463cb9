import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { createPool } from '../../src/db/driver/pool.js'
import type { Executor } from '../../src/db/driver/query.js'
import { cloneDatabase } from '../fixtures/app.js'

t.test('lost connections', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  t.teardown(() => sql.end())
  await sql`create table numbers (number int primary key)`
  t.beforeEach(() => sql`delete from numbers`)
  const numbers = async () =>
    (await sql`select number from numbers order by number`).map(({ number }) => number)
  const connection = { application_name: 'lost' }
  const sessions = () => sql`select pid from pg_stat_activity where application_name = 'lost'`
  const kill = async () => {
    await sql`select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'lost'`
    // PostgreSQL responds after the kernel closed the connections: the pool sees that within a few
    // turns of the event loop.
    for (let turn = 0; turn < 20; turn++) await immediate()
  }
  /** Resolves when a sleeping statement has started. */
  const asleep = async () => {
    const sleeping = () => sql`
      select from pg_stat_activity where application_name = 'lost' and wait_event = 'PgSleep'`
    while ((await sleeping()).length === 0) await pause(5)
  }
  function pool(t: Tap) {
    const client = createPool(url, 1, { connection, onnotice: () => {} })
    t.teardown(() => client.end())
    return client
  }
  const add = (to: Executor, number: number) => to.unsafe('insert into numbers values ($1)', [number])
  const gone = { code: '08006' }

  t.test('a transaction does not continue on another connection', async (t) => {
    const client = pool(t)
    let other: Promise<unknown> | undefined
    await t.rejects(
      client.begin(async (tx) => {
        await add(tx, 1)
        other = client.begin(async (tx) => add(tx, 10))
        await kill()
        await t.rejects(Promise.resolve(add(tx, 2)), gone)
        await t.rejects(Promise.resolve(add(tx, 3)), gone)
      }),
      gone
    )
    await other
    t.same(await numbers(), [10], 'another transaction keeps its writes and commits no others')
  })

  t.test('queued statements of a transaction do not run on another connection', async (t) => {
    const client = pool(t)
    const ended: unknown[] = []
    const running = client.begin(async (tx) => {
      await add(tx, 1)
      const texts = ['select pg_sleep(3600), $1::int', 'insert into numbers values ($1::int)']
      const all = [...texts, ...texts].map((text) => tx.unsafe(text, [2]))
      ended.push(...(await Promise.allSettled(all)).map(({ status }) => status))
    })
    running.catch(() => {})
    await asleep()
    await kill()
    await t.rejects(running, gone)
    t.same(ended, Array(4).fill('rejected'))
    t.same(await numbers(), [])
  })

  t.test('a server that closes new connections is reported at once', async (t) => {
    let connected = 0
    const server = createServer((socket) => {
      connected++
      // Unread data would keep the socket open.
      socket.resume().end()
    })
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    )
    t.teardown(() => server.close())
    const addressed = (...ports: number[]) => {
      const hosts = ports.map((each) => `127.0.0.1:${each}`).join()
      const client = createPool(url.replace(/@[^/]*/, `@${hosts}`), 1, { onnotice: () => {} })
      t.teardown(() => client.end())
      return Promise.resolve(client.unsafe('select 1 as one'))
    }
    await t.rejects(addressed(port), gone)
    t.equal(connected, 1)
    await t.rejects(addressed(port, port), {
      code: '08001',
      message: `No host of DATABASE_URL accepts writes.\n${`  127.0.0.1:${port}: closed the connection\n`.repeat(2).trimEnd()}`
    })
    t.equal(connected, 3, 'each host is tried once')
    await t.rejects(addressed(1), { code: 'ECONNREFUSED' })
    t.match(await addressed(1, port, Number(new URL(url).port)), [{ one: 1 }])
  })

  t.test('a closed pool opens no connection', async (t) => {
    const client = pool(t)
    await add(client, 1)
    await client.end()
    await t.rejects(Promise.resolve(add(client, 2)), { code: 'CONNECTION_ENDED' })
    t.equal((await sessions()).length, 0)
  })
})

t.test('a transaction', async (t) => {
  const url = await cloneDatabase(t)
  const client = createPool(url, 1, { onnotice: () => {} })
  t.teardown(() => client.end())
  await client.unsafe('create table numbers (number int primary key deferrable initially deferred)')
  const add = (to: Executor, number: number) => to.unsafe('insert into numbers values ($1)', [number])
  const count = async () => (await client.unsafe('select count(*)::int as count from numbers'))[0]?.count

  t.test('is rejected after a failed statement, even if the error was caught', async (t) => {
    await t.rejects(
      client.begin(async (tx) => {
        await add(tx, 1)
        await Promise.resolve(tx.unsafe('select 1 / 0')).catch(() => {})
      }),
      /rolled back/
    )
    t.equal(await count(), 0)
  })

  t.test('is rejected when its commit is rejected', async (t) => {
    await t.rejects(
      client.begin(async (tx) => {
        await add(tx, 1)
        await add(tx, 1)
      }),
      { code: '23505' }
    )
    t.equal(await count(), 0)
  })

  t.test('waits for the statements that its work left open, and rejects later statements', async (t) => {
    let late: Executor | undefined
    await client.begin(async (tx) => {
      late = tx
      Promise.resolve(tx.unsafe('select pg_sleep(0.1)')).catch(() => {})
      Promise.resolve(add(tx, 1)).catch(() => {})
    })
    t.equal(await count(), 1)
    await t.rejects(Promise.resolve(add(late as Executor, 2)), /over/)
    t.equal(await count(), 1)
  })
})

type Tap = Pick<typeof t, 'teardown'>
