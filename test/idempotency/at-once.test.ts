import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { type ApiResponse, postWithKey } from '../fixtures/callers.js'
import { appBehindProxy, commitMessage } from '../fixtures/database-proxy.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting, holdLocks, waitingForLocks } from '../fixtures/waiting.js'
import { orders, organization, world } from '../fixtures/world.js'

const app = await appBehindProxy(t)
const { sql, proxy } = app
const w = await world(app)
const other = await testApp(t, {}, async () => app.databaseUrl)
const otherNurse = other.as('MonitoringResponsible', organization('region'), { name: 'Nora Nurse' })
const holder = postgres(app.databaseUrl, { max: 1 })
t.teardown(() => holder.end({ timeout: 0 }))
const draft = w.draft({ name: 'gated' })
const line = { order: await w.createDraft(), item: w.monitor, action: 'DELIVER' }

/** Sends requests that wait for a lock of the test. Returns the number of created rows. */
const posts = {
  order: {
    hold: () => holdLocks(holder, (tx) => tx`lock table orders in share mode`),
    send: (key: string, caller = w.nurse, change = {}) =>
      postWithKey(caller, key, `${orders}/order`, { ...draft, ...change }),
    count: async () => (await sql`select from orders where name = 'gated'`).length
  },
  // An order line and its key are saved by separate statements.
  'order line': {
    hold: () => holdLocks(holder, (tx) => tx`lock table order_lines in share mode`),
    send: (key: string, caller = w.nurse, change = {}) =>
      postWithKey(caller, key, `${orders}/order-line`, { ...line, ...change }),
    count: async () => (await sql`select from order_lines`).length
  }
}

const locationOf = ({ headers }: ApiResponse) => headers.location

for (const [what, { hold, send, count }] of Object.entries(posts)) {
  t.test(`a POST of an ${what} waits for the first POST with its key, without a connection`, async (t) => {
    const [key, before] = [randomUUID(), await count()]
    const gate = await hold()
    const first = send(key)
    await waitingForLocks(sql, first)
    const second = send(key)
    await w.nurse.get(`${orders}/me`, 200)
    t.equal(await countWaiting(sql), 1)
    await gate.open()
    t.same((await Promise.all([first, second])).map(outcome), ['201', '201'])
    t.equal(locationOf(await second), locationOf(await first))
    t.equal(await count(), before + 1)
  })

  t.test(`one of two POSTs of an ${what} with the same key on two instances takes effect`, async (t) => {
    const [key, before] = [randomUUID(), await count()]
    const gate = await hold()
    const requests = [send(key), send(key, otherNurse)] as const
    await waitingForLocks(sql, ...requests)
    const others = send(key, otherNurse, what === 'order' ? { priority: true } : { action: 'RETURN' })
    await gate.open()
    const [first, second] = await Promise.all(requests)
    t.equal(outcome(await others), '422 idempotency-key-reused')
    t.same([first, second].map(outcome), ['201', '201'])
    t.equal(locationOf(second), locationOf(first))
    t.equal(await count(), before + 1)
  })

  const losses = [
    {
      title: 'finds the commit whose acknowledgement was lost',
      cut: () => proxy.cut('after', commitMessage),
      made: 1
    },
    {
      title: 'runs when the commit did not arrive',
      cut: () => proxy.cut('before', commitMessage),
      made: 0
    }
  ]
  for (const { title, cut, made } of losses)
    t.test(`a repeat of a POST of an ${what} ${title}`, async (t) => {
      const [key, before] = [randomUUID(), await count()]
      cut()
      t.equal(outcome(await send(key)), '503 outcome-unknown')
      t.ok(proxy.restore())
      t.equal(await count(), before + made)
      t.equal((await send(key)).status, 201)
      t.equal(await count(), before + 1)
    })
}
