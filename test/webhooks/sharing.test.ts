import { randomUUID } from 'node:crypto'
import t from 'tap'
import { runSubscription } from '../../src/webhooks/delivery/run.js'
import { newSecret } from '../../src/webhooks/secrets.js'
import { testApp } from '../fixtures/app.js'
import { organization, world } from '../fixtures/world.js'

const app = await testApp(t, { EVENT_TARGETS: '' })
const { sql } = app

t.test('a run delivers nothing for a subscription that was paused since its lease was taken', async (t) => {
  const w = await world(app)
  const [lease, id] = [randomUUID(), randomUUID()]
  await sql`insert into subscriptions (id, organization, target, types, user_type, permissions, status,
      revision, test_count, created_at)
    values (${id}, ${organization('region')}, 'http://127.0.0.1:9/', '{order.created}',
      'MonitoringResponsible', '{Order.read}', 'PAUSED', 2, 1, now())`
  await sql`insert into subscription_deliveries (subscription_id, position, position_at, failures,
      attempts, lease, lease_until)
    values (${id}, 0, now(), 0, '[]', ${lease}, now() + interval '1 day')`
  const sealed = app.app.webhooks.secretBox().seal(newSecret(), id)
  await sql`insert into subscription_secrets (id, subscription_id, sealed)
    values (${randomUUID()}, ${id}, ${sealed})`
  await w.createDraft()
  const sent: unknown[] = []
  const sender = {
    send: async (request: unknown) => {
      sent.push(request)
      return { result: 'DELIVERED' }
    },
    close: async () => {}
  }
  const { signal } = new AbortController()
  const courier = { ports: app.app, sender, mailer: undefined, signal, measure: () => {} }
  let asked = 0
  await runSubscription(courier, { id, lease }, () => asked++ > 1)
  t.same(sent, [])
})
