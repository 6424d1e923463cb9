import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { createPool } from '../../src/db/driver/pool.js'
import { cloneDatabase } from '../fixtures/app.js'

t.test('shared connections', async (t) => {
  const url = await cloneDatabase(t)
  const client = createPool(url, 2, { onnotice: () => {} })
  t.teardown(() => client.end())
  const ask = async (text: string, ...values: unknown[]) => (await client.unsafe(text, values))[0]

  t.test('a long queue is served in order', async (t) => {
    const single = createPool(url, 1, { onnotice: () => {} })
    t.teardown(() => single.end())
    const answered: unknown[] = []
    const numbers = Array.from({ length: 3000 }, (_, at) => at)
    const response = async (at: number) => {
      const [row] = await single.unsafe('select $1::int as number', [at])
      answered.push(row?.number)
    }
    // A statement that is not prepared yet is sent on its own.
    await response(-1)
    await Promise.all(numbers.map(response))
    t.same(answered, [-1, ...numbers])
  })

  t.test('a failed statement releases its connection', async (t) => {
    for (let at = 0; at < 5; at++) await t.rejects(ask('select 1 / 0'), { code: '22012' })
    await t.rejects(
      client.begin(() => Promise.reject(new Error('given up'))),
      { message: 'given up' }
    )
    t.match(await ask('select 1 as one'), { one: 1 })
  })

  t.test('a transaction has an exclusive connection', async (t) => {
    const pid = 'select pg_backend_pid() as pid'
    const others = new Set<unknown>()
    await client.begin(async (tx) => {
      const [own] = await tx.unsafe(pid)
      for (let at = 0; at < 10; at++) others.add((await ask(pid))?.pid)
      t.notOk(others.has(own?.pid))
    })
    t.equal(others.size, 1)
  })

  t.test('a statement goes to the least busy connection', async (t) => {
    const gate = postgres(url, { max: 1, onnotice: () => {} })
    t.teardown(() => gate.end())
    let isSlowEnded = false
    const slow = await gate.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`
      const ended = ask('select pg_advisory_xact_lock_shared(1)').then(() => {
        isSlowEnded = true
      })
      for (let at = 0; at < 10; at++) await ask('select 1')
      t.notOk(isSlowEnded)
      return { ended }
    })
    await slow.ended
  })

  t.test('statements and transactions wait in one queue', async (t) => {
    const gate = postgres(url, { max: 1, onnotice: () => {} })
    t.teardown(() => gate.end())
    const ended: string[] = []
    const end = (name: string) => () => ended.push(name)
    const all = await gate.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(2)`
      // A connection takes four statements.
      const fill = Array.from({ length: 8 }, () =>
        ask('select pg_advisory_xact_lock_shared(2)').then(end('fill'))
      )
      const later: Promise<unknown>[] = []
      const transaction = client
        .begin(async (tx) => {
          await tx.unsafe('select 1')
          await Promise.all(later)
        })
        .then(end('transaction'))
      later.push(ask('select 1').then(end('statement')))
      return { ended: Promise.all([...fill, transaction, ...later]) }
    })
    await all.ended
    t.same(ended, [...Array(8).fill('fill'), 'statement', 'transaction'])
  })

  t.test('a connection is replaced before it has too many prepared statements', async (t) => {
    const single = createPool(url, 1, { onnotice: () => {} })
    t.teardown(() => single.end())
    const kept = async () => {
      const [row] = await single.unsafe(
        'select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as count'
      )
      return row as { pid: number; count: number }
    }
    const numbers = Array.from({ length: 1000 }, (_, at) => at)
    const responses = await Promise.all(
      numbers.map(async (at) => (await single.unsafe(`select ${at} + $1::int as number`, [0]))[0]?.number)
    )
    t.same(responses, numbers)
    const processes = new Set<number>()
    for (const at of numbers) {
      await single.unsafe(`select ${at} - $1::int as number`, [0])
      if (at % 50 === 0) {
        const { pid, count } = await kept()
        processes.add(pid)
        t.ok(count <= 204, `${count} statements`)
      }
    }
    t.ok(processes.size >= 3)
    const [before, after] = await single.begin(async (tx) => {
      const pid = 'select pg_backend_pid() as pid'
      const [first] = await tx.unsafe(pid)
      for (const at of numbers) await tx.unsafe(`select ${at} * $1::int as number`, [1])
      const [last] = await tx.unsafe(pid)
      return [first?.pid, last?.pid]
    })
    t.equal(after, before, 'not within a transaction')
    t.not((await kept()).pid, after)
  })

  t.test('no statement is lost when a connection is replaced', async (t) => {
    const single = createPool(url, 1, { onnotice: () => {} })
    t.teardown(() => single.end())
    let made = 0
    const another = () => single.unsafe(`select ${made++}, pg_sleep($1)`, [0.005])
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 198; at++) await single.unsafe(`select ${made++} + $1::int`, [0])
      // All of them get slots at once, on a connection that has two prepared statements left.
      let all: Promise<unknown>[] = []
      await single.begin(async () => {
        all = Array.from({ length: 12 }, another).map((each) => Promise.resolve(each))
        await pause(5)
      })
      await Promise.all(all)
    }
    t.pass('all statements returned')
  })
})

t.test('opens a connection only after an idle one is closed', async (t) => {
  const url = new URL(await cloneDatabase(t))
  const open = new Set<Socket>()
  let mostOpen = 0
  let holdBack: (socket: Socket) => void = () => {}
  const isEnding = new Promise<Socket>((resolve) => {
    holdBack = resolve
  })
  // The first connection ends only when the test ends it.
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const isFirst = mostOpen === 0
    open.add(client)
    mostOpen = Math.max(mostOpen, open.size)
    client.on('close', () => open.delete(client)).on('error', () => {})
    client.on('end', () => (isFirst ? holdBack(client) : client.end()))
    const server = connect(Number(url.port), url.hostname)
    client.pipe(server).pipe(client, { end: false })
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
  const pool = createPool(through, 1, { onnotice: () => {}, idleTimeoutMs: 20 })
  t.teardown(async () => {
    await pool.end()
    relay.close()
  })
  await pool.unsafe('select 1')
  const ending = await isEnding
  const later = pool.unsafe('select 2 as two').values()
  t.equal(pool.usage().waiting, 1, 'the next query waits')
  ending.end()
  t.match(await later, [[2]])
  t.equal(mostOpen, 1)
})
