import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { thorough } from '../fixtures/effort.js'
import { embeddedUrl, postmasterOf } from '../fixtures/embedded.js'
import { callersOf } from '../fixtures/failover/over-http.js'
import { endLeases, holdLocks, postWithKey, waitingForLocks } from '../fixtures/idempotency.js'
import {
  acknowledgedCreations,
  type Creations,
  repeatingWriter,
  storedCreations
} from '../fixtures/repeating-writers.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { freePort, type Server, startServer, temporaryFolder } from '../fixtures/server.js'
import { orders, organization, world } from '../fixtures/world.js'

const PUBLIC_URL = 'http://ssl.example'

/** Kills a program. Its output may stay open in processes that it started. */
async function kill({ process }: Server): Promise<void> {
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
}

t.test('a repeat after the end of the instance', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const sql = postgres(DATABASE_URL, { max: 2, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 0 }))
  const start = async () => {
    const server = await startServer(t, { DATABASE_URL, PUBLIC_URL, LOG_LEVEL: 'fatal' })
    await server.ready()
    return { server, as: callersOf(server.url) }
  }
  const first = await start()
  const w = await world(first as never)
  const draft = w.draft({ name: 'made once' })
  const send = ({ as }: typeof first, key: string) =>
    postWithKey(as('MonitoringResponsible', organization('region')), key, `${orders}/order`, draft)
  const count = async () => (await sql`select from orders`).length

  const stopped = randomUUID()
  const made = await send(first, stopped)
  t.equal(made.status, 201)
  await sql`
    insert into idempotency_keys (id, request, run, lease_until, created_at)
    values ('old', '', gen_random_uuid(), now(), now() - interval '25 hours')`
  t.equal(await first.server.stop(), 0)

  const second = await start()
  const repeat = await send(second, stopped)
  t.same([repeat.status, repeat.headers.location], [201, made.headers.location], 'after a restart')
  t.equal(await count(), 1)
  // The start deletes expired keys while it serves.
  while ((await sql`select from idempotency_keys`).length > 1) await pause(20)

  const killed = randomUUID()
  const gate = await holdLocks(sql, (tx) => tx`lock table orders in share mode`)
  const unanswered = send(second, killed)
  const failed = t.rejects(unanswered)
  await waitingForLocks(sql, unanswered)
  await kill(second.server)
  await failed
  await gate.open()
  const third = await start()
  t.equal(outcome(await send(third, killed)), '409 idempotency-key-in-use', 'after a kill')
  await endLeases(sql)
  const { status, headers } = await send(third, killed)
  t.equal(status, 201, 'after the end of the lease')
  t.equal(await count(), 2)
  t.equal((await send(third, killed)).headers.location, headers.location)
  t.equal(await third.server.stop(), 0)
})

const kills = ['instance', 'backends', 'instance', 'postmaster'] as const
const rounds = thorough ? 24 : 4
const WRITERS = 6

t.test('repeats make each order once while instance and database are killed', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const PORT = String(await freePort())
  const start = () =>
    startServer(t, { DATA_DIR, PORT, PUBLIC_URL, LOG_LEVEL: 'fatal', REQUEST_TIMEOUT: '3000' })
  let server = await start()
  await server.ready()
  const w = await world({ as: callersOf(server.url) } as never)
  const creations: Creations = { requested: [], acknowledged: [], repeats: 0, unexpected: [] }
  let isWriting = true
  const writers = Array.from({ length: WRITERS }, () => repeatingWriter(w, creations, () => isWriting))
  /** Waits until this many more orders with their lines are acknowledged. */
  async function progress(count: number): Promise<void> {
    const wanted = creations.acknowledged.length + count
    while (creations.acknowledged.length < wanted) {
      if (server.process.exitCode !== null) throw new Error(`The server ended: ${server.output()}`)
      await pause(5)
    }
  }

  for (let round = 0; round < rounds; round++) {
    await progress(20)
    const target = kills[round % kills.length]
    if (target === 'instance') {
      await kill(server)
      server = await start()
    } else if (target === 'backends') {
      const sql = postgres(embeddedUrl(DATA_DIR), { max: 1 })
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ssl-backend'`
      await sql.end()
    } else process.kill(postmasterOf(DATA_DIR), 'SIGKILL')
  }
  await progress(20)
  isWriting = false
  await Promise.all(writers)

  const sql = postgres(embeddedUrl(DATA_DIR), { max: 1 })
  const stored = await storedCreations(sql)
  await sql.end()
  const { requested, acknowledged, repeats, unexpected } = creations
  t.comment(JSON.stringify({ rounds, acknowledged: acknowledged.length, repeats }))
  t.same(unexpected, [])
  t.equal(acknowledged.length, requested.length)
  t.ok(repeats >= rounds, 'the kills were noticed')
  t.same(stored, acknowledgedCreations(creations), 'each order and its line exist exactly once')
  t.equal(await server.stop(), 0)
})
