import { randomUUID } from 'node:crypto'
import t from 'tap'
import { recordDelivered, recordFailed } from '../../src/webhooks/delivery/attempt.store.js'
import { loadRun, releaseLease, renewLease, takeLeases } from '../../src/webhooks/delivery/lease.store.js'
import { runSubscription } from '../../src/webhooks/delivery/run.js'
import { newSecret } from '../../src/webhooks/secrets.js'
import { stopReasons } from '../../src/webhooks/subscription.state.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { startReceiver } from '../fixtures/events/receiver.js'
import { orders, organization, world } from '../fixtures/world.js'

/* The runs that deliver, and the causes of their end. */

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

t.test('without EVENT_TARGETS nothing is sent to existing targets', async (t) => {
  const receiver = await startReceiver(t)
  const app = await testApp(t, { EVENT_TARGETS: '' })
  const clock = clockOf(t)
  const nurse = app.as('MonitoringResponsible', organization('region'))
  await plantSubscription(app, receiver.url, 'PENDING')
  await app.sql`update subscription_deliveries set lease_until = null`
  // Advances the clock by more than the longest interval between scans for subscriptions, so that
  // each scan begins.
  for (let turn = 0; turn < 3; turn++) {
    clock.pass(11_000)
    await app.sql`select`
  }
  t.match((await nurse.get(`${orders}/subscriptions`, 200)).body, [{ status: 'PENDING', attempts: [] }])
  t.equal(receiver.connections(), 0)
})

t.test(
  'a run delivers nothing for a subscription that was paused after the run took its lease',
  async (t) => {
    const testing = await testApp(t, { EVENT_TARGETS: '' })
    const { app, sql } = testing
    const w = await world(testing)
    const lease = randomUUID()
    const id = await plantSubscription(testing, 'http://127.0.0.1:9/', 'PAUSED', lease)
    await sql`insert into subscription_secrets (id, subscription_id, sealed)
    values (${randomUUID()}, ${id}, ${app.webhooks.secretCipher().seal(newSecret(), id)})`
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
  }
)

/** Adds a subscription that no run delivers for, and begins a run for it. */
async function beginRun(testing: TestApp, status: string) {
  const id = await plantSubscription(testing, 'http://127.0.0.1:9/', status)
  await testing.sql`update subscription_deliveries set lease_until = null`
  const [lease] = await takeLeases(testing.app.db, [], 10)
  const run = lease && (await loadRun(testing.app.db, lease))
  if (!run) throw new Error('There is no lease.')
  return { id, run }
}

const attempt = {
  ...{ time: new Date().toISOString(), event: randomUUID(), type: 'order.created' },
  ...{ attempt: 1, result: 'DELIVERED', durationMs: 1 }
}

t.test('one run at a time delivers for a subscription, and another run when its lease ends', async (t) => {
  const testing = await testApp(t, { EVENT_TARGETS: '' })
  const { app, sql } = testing
  const { id, run } = await beginRun(testing, 'ACTIVE')
  const take = async (running: string[] = []) =>
    (await takeLeases(app.db, running, 10)).map((lease) => lease.id)
  t.same(await take(), [], 'the lease is held')
  t.ok(await renewLease(app.db, run))
  await sql`update subscription_deliveries set lease_until = now() - interval '1 second'`
  t.same(await take([id]), [], 'a run of the same instance may still be ending')
  await sql.begin(async (tx) => {
    await tx`select from subscription_deliveries for update`
    t.same(await take(), [], 'another instance is taking the lease')
  })
  t.same(await take(), [id])
  t.notOk(await renewLease(app.db, run), 'the former run has lost its lease')
  t.notOk(await recordDelivered(app.db, run, attempt, false))
  await recordFailed(app.db, run, attempt, 0)
  await releaseLease(app.db, run.lease)
  t.same(await take(), [], 'the later run holds the lease')
  t.match(await sql`select position::int, attempts, failures from subscription_deliveries`, [
    { position: 0, attempts: [], failures: 0 }
  ])
  await sql`update subscription_deliveries set lease_until = null, next_attempt_at = now() + interval '1 day'`
  t.same(await take(), [], 'a retry waits')
})

t.test('a change of a subscription overrides an earlier run', async (t) => {
  const testing = await testApp(t, { EVENT_TARGETS: '' })
  const { app, sql } = testing
  const { run } = await beginRun(testing, 'PENDING')
  const stored = async () => {
    const [row] = await sql`select status, test_id, failures, next_attempt_at, position::int
      from subscriptions join subscription_deliveries on id = subscription_id`
    return { ...row }
  }
  const requested = randomUUID()
  await sql`update subscriptions set revision = 2, test_id = ${requested}`
  const changed = await stored()
  run.cursor.position = 7
  t.notOk(await renewLease(app.db, run))
  await recordFailed(app.db, run, { ...attempt, result: 'TIMEOUT' }, 60_000)
  await recordFailed(app.db, run, { ...attempt, result: 'TIMEOUT' }, stopReasons.exhausted)
  t.same(await stored(), changed)
  run.cursor.position = 0
  t.ok(await recordDelivered(app.db, run, attempt, true))
  t.same(await stored(), changed, 'the requested test event is not delivered yet')
})
