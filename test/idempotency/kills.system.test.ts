import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { holdLocks, postWithKey, waitingForLocks } from '../fixtures/idempotency.js'
import { kill } from '../fixtures/kill.js'
import { callersOf } from '../fixtures/over-http.js'
import { startServer } from '../fixtures/server.js'
import { orders, organization, world } from '../fixtures/world.js'

const PUBLIC_URL = 'http://ssl.example'

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
  const w = await world(first)
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
  await kill(second.server.process)
  await failed
  await gate.open()
  const third = await start()
  const { status, headers } = await send(third, killed)
  t.equal(status, 201, 'after a kill')
  t.equal(await count(), 2)
  t.equal((await send(third, killed)).headers.location, headers.location)
  t.equal(await third.server.stop(), 0)
})
