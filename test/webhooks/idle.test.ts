import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { startReceiver, until } from '../fixtures/events/receiver.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

/** More than twice the interval of looks for subscriptions while one delivers. */
const A_WHILE_MS = 5000

/** The last statement of each connection of the server, if it is about subscriptions. */
async function looks({ sql }: TestApp): Promise<string[]> {
  const rows = await sql<{ look: string }[]>`
    select pid || ' ' || query_start as look from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ~ 'subscription'`
  return rows.map(({ look }) => look)
}

t.test('nothing is polled where nobody subscribes', async (t) => {
  const app = await testApp(t)
  await app.app.ready()
  const looksSince = async (before: readonly string[]) =>
    (await looks(app)).filter((look) => !before.includes(look))
  await until(async () => (await looks(app)).length > 0)
  const first = await looks(app)
  await pause(A_WHILE_MS)
  t.same(await looksSince(first), [])

  const nurse = app.as('MonitoringResponsible', organization('region'))
  const path = pathOf(await nurse.create(`${orders}/subscription`, subscription))
  const created = await looks(app)
  await until(async () => (await looksSince(created)).length > 0)
  t.pass('with a subscription the server looks again and again')

  await nurse.delete(path, 204)
  // The looks of the run that ends.
  await pause(A_WHILE_MS)
  const last = await looks(app)
  await pause(A_WHILE_MS)
  t.same(await looksSince(last), [], 'and no more without one')
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
