import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { startReceiver, until } from '../fixtures/events/receiver.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

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

t.test('nothing is polled where nobody subscribes', async (t) => {
  const app = await testApp(t)
  const idle = idling(t, app)
  const sent = recordStatements(app.app)
  const looks = () => sent.filter(({ text }) => /subscription/.test(text)).length
  await app.app.ready()
  await until(() => looks() > 0)
  const first = looks()
  await idle()
  t.equal(looks(), first)

  const nurse = app.as('MonitoringResponsible', organization('region'))
  const path = pathOf(await nurse.create(`${orders}/subscription`, subscription))
  const created = looks()
  await until(() => looks() > created)
  t.pass('with a subscription the server looks again and again')

  await nurse.delete(path, 204)
  const counts: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    await idle()
    counts.push(looks())
  }
  t.equal(counts.at(-1), counts.at(-10), 'and no more without one')
})

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
