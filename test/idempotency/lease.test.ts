import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { commit, type DatabaseProxy, databaseProxy } from '../fixtures/database-proxy.js'
import { endLeases, holdLocks, postWithKey, takenOver, waitingForLocks } from '../fixtures/idempotency.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, world } from '../fixtures/world.js'

/** A request that waits for a lock until the gate opens, and the number of what it made. */
async function gatedRequests({ sql, databaseUrl, ...app }: TestApp) {
  const w = await world({ sql, databaseUrl, ...app })
  const holder = postgres(databaseUrl, { max: 1 })
  const [draft, order] = [w.draft({ name: 'gated' }), await w.createDraft()]
  const line = { order, item: w.monitor, action: 'DELIVER' }
  return {
    close: () => holder.end({ timeout: 0 }),
    of: {
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
  }
}

const locationOf = ({ headers }: ApiResponse) => headers.location

t.test('two runs with the same key', async (t) => {
  const app = await testApp(t)
  const { of, close } = await gatedRequests(app)
  t.teardown(close)
  for (const [what, { hold, send, count }] of Object.entries(of)) {
    t.test(`of a POST of an ${what}: the second gets 409 until the first has ended`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      const gate = await hold()
      const first = send(key)
      await waitingForLocks(app.sql, first)
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

    t.test(`of a POST of an ${what}: one that lost its lease commits nothing`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      const gate = await hold()
      const first = send(key)
      await waitingForLocks(app.sql, first)
      await endLeases(app.sql)
      const second = send(key)
      await takenOver(app.sql)
      await gate.open()
      t.equal(outcome(await first), '409 idempotency-key-in-use')
      t.equal((await second).status, 201)
      t.equal(await count(), before + 1)
      t.equal(locationOf(await send(key)), locationOf(await second))
    })

    t.test(
      `of a POST of an ${what}: one that outlives its lease commits if no other has taken over`,
      async (t) => {
        const [key, before] = [randomUUID(), await count()]
        const gate = await hold()
        const first = send(key)
        await waitingForLocks(app.sql, first)
        await endLeases(app.sql)
        await gate.open()
        t.equal((await first).status, 201)
        t.equal(locationOf(await send(key)), locationOf(await first))
        t.equal(await count(), before + 1)
      }
    )
  }

  t.test('concurrent repeats make one order', async (t) => {
    const { send, count } = of.order
    const [key, before] = [randomUUID(), await count()]
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(key)))
    const made = responses.filter(({ status }) => status === 201)
    t.ok(made.length > 0)
    t.equal(new Set(made.map(locationOf)).size, 1)
    for (const each of responses)
      if (each.status !== 201) t.equal(outcome(each), '409 idempotency-key-in-use')
    t.equal(await count(), before + 1)
  })
})

t.test('a request whose connection to the database is lost', async (t) => {
  let proxy: DatabaseProxy | undefined
  const app = await testApp(t, { REQUEST_TIMEOUT: '999999999' }, async (url) => {
    proxy = await databaseProxy(url)
    return proxy.url
  })
  t.teardown(() => proxy?.close())
  const { of, close } = await gatedRequests(app)
  t.teardown(close)
  if (!proxy) return
  const lossy = proxy
  /** The milliseconds of a lease, as a parameter of the reservation. */
  const reserving = /\D9999\d{5}\D/

  for (const [what, { send, count }] of Object.entries(of)) {
    t.test(`${what}: a repeat finds the commit whose acknowledgement was lost`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      lossy.cut('after', commit)
      t.equal(outcome(await send(key)), '503 outcome-unknown')
      t.ok(lossy.restore())
      t.equal(await count(), before + 1)
      t.equal((await send(key)).status, 201)
      t.equal(await count(), before + 1)
    })

    t.test(`${what}: a repeat runs when the commit did not arrive`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      lossy.cut('before', commit, false)
      t.equal(outcome(await send(key)), '503 outcome-unknown')
      t.ok(lossy.restore())
      t.equal((await send(key)).status, 201, 'the key was released')
      t.equal(await count(), before + 1)
    })

    t.test(`${what}: a repeat runs when the lease of a reservation has ended`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      lossy.cut('before', commit)
      t.equal(outcome(await send(key)), '503 outcome-unknown')
      t.ok(lossy.restore())
      t.equal(outcome(await send(key)), '409 idempotency-key-in-use', 'it could not be released')
      await endLeases(app.sql)
      t.equal((await send(key)).status, 201)
      t.equal(await count(), before + 1)
    })

    t.test(`${what}: a reservation whose acknowledgement was lost has written nothing`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      lossy.cut('after', reserving, false)
      t.equal(outcome(await send(key)), '503 database-unavailable')
      t.ok(lossy.restore())
      t.equal((await send(key)).status, 201)
      t.equal(await count(), before + 1)
    })
  }
})
