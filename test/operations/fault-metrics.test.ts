import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { observeProcess } from '../../src/telemetry/process-metrics.js'
import { testApp } from '../fixtures/app.js'
import { recordingServer } from '../fixtures/clinical.js'
import { plantEvents } from '../fixtures/events/ledger-checks.js'
import { scrape } from '../fixtures/telemetry.js'
import { until } from '../fixtures/waiting.js'
import { listenOnLoopback } from '../fixtures/wire.js'
import { clinicalIn, orders, organization, party } from '../fixtures/world.js'

/** The value of a series, given as it is written in the metrics. */
const seriesValue = async (series: string) => {
  const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

t.test('the maximum event loop delay is that since the metrics were last read', async (t) => {
  observeProcess()
  const maximum = async () => Number(await seriesValue('nodejs_eventloop_delay_max_seconds'))
  // The first sample only starts the measurement, and the one after the block has the delay.
  await pause(50)
  const end = performance.now() + 300
  while (performance.now() < end);
  await pause(50)
  const delay = await maximum()
  t.ok(delay > 0.2)
  let next = await maximum()
  // On a slow machine another delay may be before a read, and not before each of ten.
  for (let read = 0; read < 10 && next >= delay; read++) next = await maximum()
  t.ok(next < delay)
})

t.test('the age of the partitions of the next months', async (t) => {
  const age = async () => Number(await seriesValue('ssl_audit_partitions_age_seconds'))

  t.test('is the age since the start if the start creates them', async (t) => {
    const { app } = await testApp(t)
    await listenOnLoopback(app)
    await until(async () => (await age()) < 86_400)
  })

  t.test('is decades if they cannot be created', async (t) => {
    const { app, lines } = await testApp(t, {}, async (url) => {
      const sql = postgres(asOwner(url), { max: 1, onnotice: () => {} })
      await sql`create or replace function prepare_audit_partitions() returns void language plpgsql
        as $$ begin raise exception 'The tablespace is away.'; end $$`
      await sql.end()
      return url
    })
    await listenOnLoopback(app)
    await until(() => lines.some((line) => line.includes('Cannot make the partitions')))
    t.equal(await age(), 1e9)
  })
})

/** The URL of a database as its owner. */
const asOwner = (url: string) =>
  Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ''), { pathname: new URL(url).pathname }).href

t.test('a clinical backend that fails repeatedly has an open circuit', async (t) => {
  const { origin } = await recordingServer(t, () => 503)
  const { as } = await testApp(t, { CLINICAL_FHIR_URL: origin })
  const clerk = as('AdministrativeClerk', organization('region'))
  const body = { ...party('b', 'SELLER'), organization: clinicalIn(origin).organization('b') }
  const circuit = 'ssl_upstream_circuit_open{service_peer_name="clinical"}'
  t.equal(await seriesValue(circuit), 0)
  for (let attempt = 0; attempt < 5; attempt++) await clerk.post(`${orders}/party`, body)
  t.equal(await seriesValue(circuit), 1)
})

t.test('a resource counts the slots in use, and the work that waits', async (t) => {
  const { app } = await testApp(t)
  const measured = async () => {
    const states = ['used', 'waiting'].map((state) =>
      seriesValue(`ssl_slots{slot_resource="heavyWork",slot_state="${state}"}`)
    )
    return Promise.all(states)
  }
  t.same(await measured(), [0, 0])
  const releases = [await app.slots.heavyWork.acquire(), await app.slots.heavyWork.acquire()]
  const waiting = app.slots.heavyWork.acquire()
  t.same(await measured(), [2, 1])
  for (const release of releases) release()
  const release = await waiting
  release()
})

t.test('subscriptions are counted by status, with the age of the cursor furthest behind', async (t) => {
  const { as, sql } = await testApp(t)
  const nurse = as('MonitoringResponsible', organization('region'))
  for (const types of [['order.created'], ['order.submitted']])
    await nurse.create(`${orders}/subscription`, { target: 'http://127.0.0.1:9/', types })
  await sql`update subscription_deliveries set position_at = now() - interval '2 hours'`
  await until(async () => Number(await seriesValue('ssl_subscriptions_lag_seconds')) >= 7200)
  await sql`update subscriptions set status = 'SUSPENDED'`
  await until(async () => (await seriesValue('ssl_subscriptions{subscription_status="SUSPENDED"}')) === 2)
  t.equal(await seriesValue('ssl_subscriptions_lag_seconds'), 0, 'suspended ones deliver nothing')
})

t.test('the delay of a feed is the age of the transaction that holds back events', async (t) => {
  const { as, sql } = await testApp(t)
  const nurse = as('MonitoringResponsible', organization('region'))
  const clerk = as('AdministrativeClerk', organization('region'))
  const delay = async () => {
    await nurse.get(`${orders}/events`, 200)
    return Number(await seriesValue('ssl_event_feed_delay_seconds'))
  }
  await sql.begin(async (tx) => {
    await plantEvents(tx)
    await clerk.create(`${orders}/party`, party('region', 'BUYER'))
    await until(async () => (await delay()) > 1)
  })
  await until(async () => (await delay()) === 0)
})
