import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { startReceiver, until } from '../fixtures/events/receiver.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

/** More than twice the interval of looks for subscriptions while one delivers. */
const A_WHILE_MS = 5000

t.test('nothing is polled where nobody subscribes', async (t) => {
  const app = await testApp(t)
  const sent = recordStatements(app.app)
  const looks = () => sent.filter(({ text }) => /subscription/.test(text)).length
  await app.app.ready()
  await until(() => looks() > 0)
  const first = looks()
  await pause(A_WHILE_MS)
  t.equal(looks(), first)

  const nurse = app.as('MonitoringResponsible', organization('region'))
  const path = pathOf(await nurse.create(`${orders}/subscription`, subscription))
  const created = looks()
  await until(() => looks() > created)
  t.pass('with a subscription the server looks again and again')

  await nurse.delete(path, 204)
  // The looks of the run that ends.
  await pause(A_WHILE_MS)
  const last = looks()
  await pause(A_WHILE_MS)
  t.equal(looks(), last, 'and no more without one')
})

t.test('without EVENT_TARGETS nothing is sent to a target of before', async (t) => {
  const receiver = await startReceiver(t)
  const app = await testApp(t, { EVENT_TARGETS: '' })
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
  await pause(A_WHILE_MS)
  t.match((await nurse.get(`${orders}/subscriptions`, 200)).body, [{ status: 'PENDING', attempts: [] }])
  t.equal(receiver.connections(), 0)
})
