import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import t from 'tap'
import type { ApiResponse } from '../fixtures/callers.js'
import { appBehindProxy, commit } from '../fixtures/database-proxy.js'
import { endLeases, holdLocks, postWithKey, takenOver, waitingForLocks } from '../fixtures/idempotency.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, world } from '../fixtures/world.js'

const app = await appBehindProxy(t, { REQUEST_TIMEOUT: '999999999' })
const { sql, proxy } = app
/** The milliseconds of a lease, as a parameter of the reservation. */
const reserving = /\D9999\d{5}\D/
const w = await world(app)
const holder = postgres(app.databaseUrl, { max: 1 })
t.teardown(() => holder.end({ timeout: 0 }))
const draft = w.draft({ name: 'gated' })
const line = { order: await w.createDraft(), item: w.monitor, action: 'DELIVER' }

/** Requests that wait for a lock while it is held, and the number of what they made. */
const posts = {
  order: {
    hold: () => holdLocks(holder, (tx) => tx`lock table orders in share mode`),
    send: (key: string) => postWithKey(w.nurse, key, `${orders}/order`, draft),
    count: async () => (await sql`select from orders where name = 'gated'`).length
  },
  // Saved by a statement of its own.
  'order line': {
    hold: () => holdLocks(holder, (tx) => tx`lock table order_lines in share mode`),
    send: (key: string) => postWithKey(w.nurse, key, `${orders}/order-line`, line),
    count: async () => (await sql`select from order_lines`).length
  }
}

const locationOf = ({ headers }: ApiResponse) => headers.location

for (const [what, { hold, send, count }] of Object.entries(posts)) {
  t.test(`a POST of an ${what} gets 409 until the first one with its key has ended`, async (t) => {
    const [key, before] = [randomUUID(), await count()]
    const gate = await hold()
    const first = send(key)
    await waitingForLocks(sql, first)
    const second = await send(key)
    t.equal(outcome(second), '409 idempotency-key-in-use')
    t.match(second.headers['retry-after'], /^[1-9]/)
    t.equal(await count(), before)
    await gate.open()
    t.equal((await first).status, 201)
    const third = await send(key)
    t.same([third.status, locationOf(third)], [201, locationOf(await first)])
    t.equal(await count(), before + 1)
  })

  t.test(`a POST of an ${what} that lost its lease commits nothing`, async (t) => {
    const [key, before] = [randomUUID(), await count()]
    const gate = await hold()
    const first = send(key)
    await waitingForLocks(sql, first)
    await endLeases(sql)
    const second = send(key)
    await takenOver(sql)
    await gate.open()
    t.equal(outcome(await first), '409 idempotency-key-in-use')
    t.equal((await second).status, 201)
    t.equal(await count(), before + 1)
    t.equal(locationOf(await send(key)), locationOf(await second))
  })

  t.test(`a POST of an ${what} commits after its lease if no other has taken over`, async (t) => {
    const [key, before] = [randomUUID(), await count()]
    const gate = await hold()
    const first = send(key)
    await waitingForLocks(sql, first)
    await endLeases(sql)
    await gate.open()
    t.equal((await first).status, 201)
    t.equal(locationOf(await send(key)), locationOf(await first))
    t.equal(await count(), before + 1)
  })

  const losses = [
    {
      title: 'finds the commit whose acknowledgement was lost',
      cut: () => proxy.cut('after', commit),
      lost: '503 outcome-unknown',
      made: 1
    },
    {
      title: 'runs when the commit did not arrive, because the key was released',
      cut: () => proxy.cut('before', commit, false),
      lost: '503 outcome-unknown'
    },
    {
      title: 'runs when the lease of a reservation that could not be released has ended',
      cut: () => proxy.cut('before', commit),
      lost: '503 outcome-unknown',
      isReserved: true
    },
    {
      title: 'runs when the acknowledgement of the reservation was lost',
      cut: () => proxy.cut('after', reserving, false),
      lost: '503 database-unavailable'
    }
  ]
  for (const { title, cut, lost, made = 0, isReserved = false } of losses)
    t.test(`a repeat of a POST of an ${what} ${title}`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      cut()
      t.equal(outcome(await send(key)), lost)
      t.ok(proxy.restore())
      t.equal(await count(), before + made)
      if (isReserved) {
        t.equal(outcome(await send(key)), '409 idempotency-key-in-use')
        await endLeases(sql)
      }
      t.equal((await send(key)).status, 201)
      t.equal(await count(), before + 1)
    })
}

t.test('concurrent repeats make one order', async (t) => {
  const { send, count } = posts.order
  const [key, before] = [randomUUID(), await count()]
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(key)))
  const made = responses.filter(({ status }) => status === 201)
  t.ok(made.length > 0)
  t.equal(new Set(made.map(locationOf)).size, 1)
  for (const each of responses) if (each.status !== 201) t.equal(outcome(each), '409 idempotency-key-in-use')
  t.equal(await count(), before + 1)
})
