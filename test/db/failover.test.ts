import { once } from 'node:events'
import { chown, cp, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { createPool, type PoolOptions } from '../../src/db/driver/pool.js'
import type { Executor } from '../../src/db/driver/query.js'
import { migrate } from '../../src/db/migrate.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { describeFailure } from '../../src/platform/errors/describe-failure.js'
import { isConnectionLost } from '../../src/platform/errors/pg-errors.js'
import { clockOf } from '../fixtures/clock.js'
import { queryOnce } from '../fixtures/query-once.js'
import { freePort, temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'

/** A server, and the port that it keeps. */
interface PairServer extends EmbeddedPostgres {
  port: number
}

const settings = { wal_level: 'replica', max_wal_senders: '4', fsync: 'off' }
/** The standby has everything that the primary has acknowledged. */
const synchronous = { synchronous_standby_names: '*', synchronous_commit: 'remote_apply' }

/**
 * Starts two PostgreSQL servers with the same data, a primary and its standby. The servers end with
 * the test.
 */
async function serverPair(t: Test) {
  const place = async () => ({ dataDir: temporaryFolder(t), port: await freePort() })
  const [one, other] = [await place(), await place()]

  async function start({ dataDir, port }: typeof one, source?: PairServer): Promise<PairServer> {
    const data = join(dataDir, 'cluster/data')
    if (source) {
      const { uid, gid } = await stat(data)
      await writeFile(join(data, 'standby.signal'), '')
      await chown(join(data, 'standby.signal'), uid, gid)
    }
    const { port: sourcePort, username, password } = new URL(source?.url ?? 'postgres://localhost')
    const primary_conninfo = `host=127.0.0.1 port=${sourcePort} user=${username} password=${password}`
    const own = { ...settings, port: String(port), ...synchronous, ...(source ? { primary_conninfo } : {}) }
    const server = await startEmbeddedPostgres({ dataDir, settings: own })
    if (source) await streaming(source)
    return { ...server, port }
  }

  await (await startEmbeddedPostgres({ dataDir: one.dataDir, settings })).stop()
  await cp(join(one.dataDir, 'cluster'), join(other.dataDir, 'cluster'), { recursive: true })
  let primary = { ...one, server: await start(one) }
  let standby = { ...other, server: await start(other, primary.server) }
  t.teardown(() => Promise.all([primary, standby].map(({ server }) => server.stop())))
  return {
    primary: () => primary.server,
    standby: () => standby.server,
    /** Makes the standby the primary, and vice versa. Both servers keep their ports. */
    async switchOver() {
      await primary.server.stop()
      await queryOnce(standby.server.url, 'select pg_promote()')
      const former = { ...primary, server: await start(primary, standby.server) }
      ;[primary, standby] = [standby, former]
    }
  }
}

/** Waits until a standby receives the WAL of its primary. */
async function streaming(primary: EmbeddedPostgres): Promise<void> {
  const senders = `select from pg_stat_replication where state = 'streaming'`
  await until(async () => (await queryOnce(primary.url, senders)).length > 0)
}

const add = (to: Executor, number: number) =>
  Promise.resolve(to.unsafe('insert into numbers values ($1)', [number]))
const one = (from: Executor) => Promise.resolve(from.unsafe('select 1 as one'))

/** A pool of one connection on this URL. */
function pool(t: Tap, url: string, options: PoolOptions = {}, size = 1) {
  const client = createPool(url, size, { onnotice: () => {}, ...options })
  t.teardown(() => client.end())
  return client
}

/** A TCP server on loopback that ends with the test. */
async function listener(t: Tap, accept: (socket: Socket) => void, host = '127.0.0.1') {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}))
    accept(socket)
  }).listen(0, host)
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, accepted: () => open.size }
}

/** A TCP server that relays each connection to the port that is named when it arrives. */
const relay = (t: Tap, port: () => number, host?: string) =>
  listener(
    t,
    (socket) => {
      const target = connect(port(), '127.0.0.1').on('error', () => {})
      for (const [from, to] of [
        [socket, target],
        [target, socket]
      ] as const) {
        from.pipe(to)
        from.once('close', () => to.destroy())
      }
    },
    host
  )

/** The error that PostgreSQL sends while it starts. */
const starting = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', '']
  .map((field) => `${field}\0`)
  .join('')
const startingUp = (socket: Socket) =>
  socket.once('data', () => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(starting.length + 4)
    socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(starting)]))
  })

t.test('a pool on a primary and its standby', async (t) => {
  const pair = await serverPair(t)
  /** The URL with these hosts on loopback. */
  const naming = (ports: readonly number[], query = '', host = '127.0.0.1') =>
    `${pair.primary().url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `${host}:${port}`).join())}${query}`
  const primary = pool(t, pair.primary().url)
  await primary.unsafe('create table numbers (number int)')
  const numbers = async () =>
    (await pool(t, pair.primary().url).unsafe('select number from numbers order by number')).map(
      ({ number }) => number
    )
  t.beforeEach(() => pool(t, pair.primary().url).unsafe('delete from numbers'))
  const ports = () => [pair.standby().port, pair.primary().port]

  t.test('the host that accepts writes is used, in any order', async (t) => {
    for (const query of ['', '?target_session_attrs=read-write', '?target_session_attrs=primary'])
      for (const hosts of [ports(), ports().toReversed()]) {
        await migrate(naming(hosts, query))
        await add(pool(t, naming(hosts, query)), 1)
      }
    t.same(await numbers(), [1, 1, 1, 1, 1, 1])
  })

  t.test('skips hosts that refuse or close connections, start up, or are standbys', async (t) => {
    const closing = await listener(t, (socket) => socket.end())
    const early = await listener(t, startingUp)
    await add(pool(t, naming([1, closing.port, early.port, ...ports()])), 1)
    t.same(await numbers(), [1])
    await t.rejects(one(pool(t, naming([early.port]))), { code: '57P03' })
    t.ok(isConnectionLost(await one(pool(t, naming([early.port]))).catch((cause) => cause)))
  })

  t.test('skips a host that does not respond, and then connects to it last', async (t) => {
    const silent = await listener(t, () => {})
    const client = pool(t, naming([silent.port, ...ports()]), { connect_timeout: 1, idleTimeoutMs: 20 })
    // On a busy machine the primary may also respond too late.
    await retry(() => add(client, 1))
    const { length } = await numbers()
    const before = silent.accepted()
    const pids = new Set<unknown>()
    await retry(async () => {
      pids.add((await client.unsafe('select pg_backend_pid() as pid'))[0]?.pid)
      await pause(50)
      if (pids.size < 3) throw new Error('The idle connection is still open.')
    }, 200)
    t.equal(length, 1)
    t.equal(silent.accepted(), before)
  })

  t.test('without a host that accepts writes the error names each with its reason', async (t) => {
    const [standby = 0] = ports()
    const url = naming([standby, 1])
    const failure = await migrate(url).catch((cause) => cause)
    t.equal(
      describeFailure(failure),
      `No host of DATABASE_URL accepts writes.
  127.0.0.1:${standby}: read-only
  127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1
Start this program again when a host accepts writes, or change DATABASE_URL.`
    )
    t.ok(isConnectionLost(failure))
    await t.rejects(one(pool(t, url)), { code: '08001' })
    const single = naming([standby], '?target_session_attrs=read-write')
    await t.rejects(one(pool(t, single)), { code: '08001' })
  })

  t.test('reads from a single standby, on which a start fails with a hint', async (t) => {
    const url = pair.standby().url
    t.match(await one(pool(t, url)), [{ one: 1 }])
    const failure = await buildApp(loadConfig({ LOG_LEVEL: 'silent' }), url).catch((cause) => cause)
    t.match(describeFailure(failure), /in a read-only transaction\nThe database is a standby or read-only\./)
  })

  t.test('after a rejected write the next query connects again', async (t) => {
    let port = pair.standby().port
    const client = pool(t, naming([(await relay(t, () => port)).port]))
    const results = await Promise.allSettled([one(client), add(client, 1), one(client)])
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
      'queries in flight get their responses'
    )
    const inTransaction = (tx: Executor) => add(tx, 2)
    await t.rejects(add(client, 2), { code: '25006' })
    await t.rejects(client.begin(inTransaction), { code: '25006' })
    port = pair.primary().port
    await client.begin(inTransaction)
    await add(client, 3)
    t.same(await numbers(), [2, 3])
  })

  t.test('a switchover is followed, and every failed write is a lost connection', async (t) => {
    const client = pool(t, naming(ports()), {}, 4)
    const written: number[] = []
    let isOver = false
    let next = 0
    const writers = Array.from({ length: 4 }, async () => {
      for (let left = 10; left > 0; ) {
        const number = next++
        const failure = await add(client, number).then(
          () => written.push(number) && undefined,
          (cause) => cause
        )
        if (failure) t.ok(isConnectionLost(failure), String(failure))
        if (failure) await pause(10)
        else if (isOver) left--
      }
    })
    await pair.switchOver()
    await pair.switchOver()
    isOver = true
    await Promise.all(writers)
    const found = new Set(await numbers())
    t.same(
      written.filter((number) => !found.has(number)),
      []
    )
  })

  t.test('an IPv6 address is a host', async (t) => {
    const { port } = await relay(t, () => pair.primary().port, '::1')
    for (const hosts of [[port], [1, port]]) await add(pool(t, naming(hosts, '', '[::1]')), 1)
    t.same(await numbers(), [1, 1])
  })

  t.test('a connection whose server falls silent is lost', async (t) => {
    const clock = clockOf(t)
    const responseTimeoutMs = 600_000
    const client = pool(t, pair.primary().url, { responseTimeoutMs })
    const observer = pool(t, pair.primary().url)
    /**
     * Advances the clock past the timeout once this many statements sleep. PostgreSQL does not
     * notice a lost client.
     */
    async function fallSilent(sleeping: number): Promise<void> {
      const sleepers = () => observer.unsafe("select from pg_stat_activity where wait_event = 'PgSleep'")
      while ((await sleepers()).length < sleeping) await pause(5)
      clock.pass(responseTimeoutMs)
    }
    const lost = t.rejects(Promise.resolve(client.unsafe('select pg_sleep(3600)')), { code: '08007' })
    await fallSilent(1)
    await lost
    const inTransaction = t.rejects(
      client.begin(async (tx) => tx.unsafe('select pg_sleep(3600)')),
      { code: '08006' }
    )
    await fallSilent(2)
    await inTransaction
    await retry(() => one(client))
  })
})

/** Repeats until it succeeds, at most `attempts` times. */
async function retry<T>(run: () => Promise<T>, attempts = 20): Promise<T> {
  for (; attempts > 1; attempts--)
    try {
      return await run()
    } catch {}
  return run()
}

type Tap = Pick<typeof t, 'teardown'>

t.test('a pool ends at once while it connects to a host that does not respond', async (t) => {
  const silent = await listener(t, () => {})
  const client = pool(t, `postgres://127.0.0.1:${silent.port}/ssl`, { connect_timeout: 10_000 })
  const refused = t.rejects(one(client), { code: '08006' })
  while (silent.accepted() === 0) await pause(5)
  await client.end()
  await refused
})
