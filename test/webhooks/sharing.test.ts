import { randomUUID } from 'node:crypto'
import t from 'tap'
import { newLease, takeShare } from '../../src/event-feed/webhooks/delivery/lease.store.js'
import { runSubscription } from '../../src/event-feed/webhooks/delivery/run.js'
import { newSecret } from '../../src/event-feed/webhooks/secrets.js'
import { testApp } from '../fixtures/app.js'
import { organization, world } from '../fixtures/world.js'

const app = await testApp(t, { EVENT_TARGETS: '' })
const { sql } = app
const { db } = app.app

/** Leaves only active subscriptions that these leases hold. Returns their ids in order. */
async function holdOnly(leases: readonly string[]): Promise<string[]> {
  await sql`truncate subscriptions cascade`
  const ids: string[] = []
  for (const lease of leases) {
    const id = randomUUID()
    await sql`insert into subscriptions (id, organization, target, types, user_type, permissions, status,
        revision, test_count, created_at)
      values (${id}, ${organization('region')}, 'http://127.0.0.1:9/', '{order.created}',
        'MonitoringResponsible', '{Order.read}', 'ACTIVE', 1, 1, now())`
    await sql`insert into subscription_deliveries (subscription_id, position, position_at, failures,
        attempts, lease, lease_until)
      values (${id}, 0, now(), 0, '[]', ${lease}, now() + interval '1 day')`
    ids.push(id)
  }
  return ids
}

t.test('an instance takes half of what another one has beyond it', async (t) => {
  const [most, fewer, own] = [randomUUID(), randomUUID(), randomUUID()]
  // Each run of an instance has a lease of its own.
  const held = await holdOnly([
    ...Array.from({ length: 9 }, () => newLease(most)),
    ...Array.from({ length: 3 }, () => newLease(fewer)),
    newLease(own)
  ])
  const lease = newLease(own)
  t.same(await takeShare(db, lease, 0), [], 'nothing beyond its limit')
  const taken = await takeShare(db, lease, 1000)
  t.equal(taken.length, 4, 'of 9, with 1 of its own')
  t.ok(
    taken.every((id) => held.indexOf(id) < 9),
    'from the instance that has the most'
  )
  const rows = await sql`select subscription_id from subscription_deliveries where lease = ${lease}`
  t.same(new Set(rows.map((row) => row.subscription_id)), new Set(taken))
  t.same(await takeShare(db, newLease(own), 1000), [], 'nothing from others that have no more')
  t.same(await takeShare(db, newLease(most), 1000), [], 'nor from one that has one more')
})

t.test('an attempt in flight keeps its lease, and so does what is paused', async (t) => {
  const holder = randomUUID()
  const [sending = '', paused = '', ...idle] = await holdOnly(
    Array.from({ length: 6 }, () => newLease(holder))
  )
  await sql`update subscription_deliveries set sending_since = now() where subscription_id = ${sending}`
  await sql`update subscriptions set status = 'PAUSED' where id = ${paused}`
  const taken: string[] = []
  // Each turn is another instance.
  for (let turn = 0; turn < 6; turn++) taken.push(...(await takeShare(db, newLease(randomUUID()), 1000)))
  t.ok(taken.length >= 3)
  t.same(
    [...new Set(taken)].filter((id) => !idle.includes(id)),
    []
  )
})

t.test('a run delivers nothing for a subscription that was paused since its lease was taken', async (t) => {
  const w = await world(app)
  const lease = randomUUID()
  const [id = ''] = await holdOnly([lease])
  const sealed = app.app.webhooks.secretBox().seal(newSecret(), id)
  await sql`insert into subscription_secrets (id, subscription_id, sealed)
    values (${randomUUID()}, ${id}, ${sealed})`
  await sql`update subscriptions set status = 'PAUSED', revision = 2 where id = ${id}`
  await w.createDraft()
  const sent: unknown[] = []
  const sender = {
    send: async (request: unknown) => {
      sent.push(request)
      return { result: 'DELIVERED' }
    },
    close: async () => {}
  }
  const courier = { ports: app.app, sender, signal: new AbortController().signal, measure: () => {} }
  let asked = 0
  await runSubscription(courier, { id, lease }, () => asked++ > 1)
  t.same(sent, [])
  const [row] = await sql`select lease from subscription_deliveries`
  t.equal(row?.lease, null, 'and gives the lease back')
})
