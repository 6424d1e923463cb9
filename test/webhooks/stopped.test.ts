import { randomUUID } from 'node:crypto'
import t from 'tap'
import { runSubscription } from '../../src/webhooks/delivery/run.js'
import { newSecret } from '../../src/webhooks/secrets.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { startReceiver } from '../fixtures/events/receiver.js'
import { orders, organization, world } from '../fixtures/world.js'

/** Adds a subscription to created orders, and returns its id. */
async function plantSubscription(
  { sql }: TestApp,
  target: string,
  status: string,
  lease: string | null = null
) {
  const id = randomUUID()
  await sql`insert into subscriptions (id, organization, target, types, user_type, permissions, status, revision,
      test_id, test_count, created_at)
    values (${id}, ${organization('region')}, ${target}, '{order.created}', 'MonitoringResponsible',
      '{Order.read}', ${status}, 1, ${status === 'PENDING' ? randomUUID() : null}, 1, now())`
  await sql`insert into subscription_deliveries (subscription_id, position, position_at, failures, attempts,
      lease, lease_until)
    values (${id}, 0, now(), 0, '[]', ${lease}, now() + interval '1 day')`
  return id
}

t.test('without EVENT_TARGETS nothing is sent to a target of before', async (t) => {
  const receiver = await startReceiver(t)
  const app = await testApp(t, { EVENT_TARGETS: '' })
  const clock = clockOf(t)
  const nurse = app.as('MonitoringResponsible', organization('region'))
  await plantSubscription(app, receiver.url, 'PENDING')
  await app.sql`update subscription_deliveries set lease_until = null`
  // Passes more than the longest interval of scans for subscriptions, and lets each scan begin.
  for (let turn = 0; turn < 3; turn++) {
    clock.pass(11_000)
    await app.sql`select`
  }
  t.match((await nurse.get(`${orders}/subscriptions`, 200)).body, [{ status: 'PENDING', attempts: [] }])
  t.equal(receiver.connections(), 0)
})

t.test('a run delivers nothing for a subscription that was paused since its lease was taken', async (t) => {
  const testing = await testApp(t, { EVENT_TARGETS: '' })
  const { app, sql } = testing
  const w = await world(testing)
  const lease = randomUUID()
  const id = await plantSubscription(testing, 'http://127.0.0.1:9/', 'PAUSED', lease)
  await sql`insert into subscription_secrets (id, subscription_id, sealed)
    values (${randomUUID()}, ${id}, ${app.webhooks.secretBox().seal(newSecret(), id)})`
  await w.createDraft()
  const sent: unknown[] = []
  const sender = {
    async send(request: unknown) {
      sent.push(request)
      return { result: 'DELIVERED' }
    },
    async close() {}
  }
  const { signal } = new AbortController()
  const courier = { ports: app, sender, mailer: undefined, signal, measure: () => {} }
  let asked = 0
  await runSubscription(courier, { id, lease }, () => asked++ > 1)
  t.same(sent, [])
})
