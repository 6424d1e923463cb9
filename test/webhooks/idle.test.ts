import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { startReceiver } from '../fixtures/events/receiver.js'
import { orders, organization } from '../fixtures/world.js'

/** Passes more than the longest interval of looks for subscriptions several times, and lets each look begin. */
function idling(t: Test, { sql }: TestApp): () => Promise<void> {
  const clock = clockOf(t)
  return async () => {
    for (let turn = 0; turn < 3; turn++) {
      clock.pass(11_000)
      await sql`select`
    }
  }
}

t.test('without EVENT_TARGETS nothing is sent to a target of before', async (t) => {
  const receiver = await startReceiver(t)
  const app = await testApp(t, { EVENT_TARGETS: '' })
  const idle = idling(t, app)
  const nurse = app.as('MonitoringResponsible', organization('region'))
  await app.sql`
    with made as (
      insert into subscriptions (id, organization, target, types, user_type, permissions, status, revision,
        test_id, test_count, created_at)
      values (gen_random_uuid(), ${organization('region')}, ${receiver.url}, '{order.created}',
        'MonitoringResponsible', '{Order.read}', 'PENDING', 1, gen_random_uuid(), 1, now())
      returning id)
    insert into subscription_deliveries (subscription_id, position, position_at, failures, attempts)
    select id, 0, now(), 0, '[]' from made`
  await idle()
  t.match((await nurse.get(`${orders}/subscriptions`, 200)).body, [{ status: 'PENDING', attempts: [] }])
  t.equal(receiver.connections(), 0)
})
