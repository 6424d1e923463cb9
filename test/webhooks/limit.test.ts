import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const url = `${orders}/subscription`

// It watches locks.
t.test('an organization has at most 100 subscriptions, also after concurrent creations', async (t) => {
  // A connection for each creation that waits for the lock.
  const app = await testApp(t, { DATABASE_POOL: '4' })
  const nurse = app.as('MonitoringResponsible', organization('region'))
  const first = await nurse.create(url, subscription)
  await app.sql`insert into subscriptions
      (id, organization, target, types, user_type, user_id, permissions, status, revision, test_count, created_at)
    select gen_random_uuid(), organization, target, types, user_type, user_id, permissions, 'PAUSED', 1, 1, created_at
    from subscriptions, generate_series(1, 97)`
  const count = async () => (await app.sql`select count(*)::int from subscriptions`)[0]?.count
  t.equal(await count(), 98)

  // The lock allows the creations to count, and blocks their inserts.
  const creates = await app.sql.begin(async (tx) => {
    await tx`lock table subscriptions in share row exclusive mode`
    const running = Array.from({ length: 3 }, () => nurse.post(url, subscription))
    await until(async () => {
      const [row] = await tx`select count(distinct pid)::int from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())`
      return row?.count === running.length
    })
    return { running }
  })
  const responses = await Promise.all(creates.running)
  t.same(responses.map(({ status }) => status).sort(), [201, 201, 422])
  t.match(
    responses.find(({ status }) => status === 422),
    { body: { code: 'too-many-subscriptions' } }
  )
  t.equal(await count(), 100)

  const other = app.as('MonitoringResponsible', organization('aarhus'))
  await other.create(url, subscription)
  await nurse.delete(pathOf(first), 204)
  await nurse.create(url, subscription)
  t.match(await nurse.post(url, subscription), { status: 422 }, 'a deleted one makes room for one')
})
