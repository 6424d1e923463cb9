import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization } from '../fixtures/world.js'

t.test('the rate limit applies to each caller', async (t) => {
  const app = await testApp(t, { RATE_LIMIT: '5' })
  const caller = (name: string, org = 'region') =>
    app.as('MonitoringResponsible', organization(org), { name })
  const url = `${orders}/orders`
  const first = caller('first')
  const quota = /^"caller";q=5;w=60$/
  for (let at = 0; at < 5; at++) {
    const { headers } = await first.get(url, 200)
    t.match(headers, { 'ratelimit-policy': quota, ratelimit: `"caller";r=${4 - at};t=` })
  }
  const refusal = await first.get(url)
  t.match(refusal.headers, { 'ratelimit-policy': quota, ratelimit: /^"caller";r=0;t=([1-9]|[1-5]\d|60)$/ })
  t.equal(outcome(refusal), '429 too-many-requests')
  t.match(refusal.headers['retry-after'], /^([1-9]|[1-5]\d|60)$/)
  await caller('second').get(url, 200)
  await caller('first', 'other-region').get(url, 200)

  for (let at = 0; at < 5; at++) await app.as().get(url, 401)
  t.equal(
    outcome(await app.as().get(url)),
    '429 too-many-requests',
    'callers without a token share the limit of their address'
  )
  await caller('third').get(url, 200)
  const from = async (remoteAddress: string) =>
    outcome(await app.as().send({ method: 'GET', url, remoteAddress }))
  for (let at = 0; at < 5; at++) t.equal(await from(`2001:db8:0:1::${at}`), '401 unauthorized')
  t.equal(await from('2001:db8:0:1:9::9'), '429 too-many-requests', 'a network of one household')
  t.equal(await from('2001:db8:0:2::1'), '401 unauthorized')
  for (let at = 0; at < 10; at++) {
    await app.as().get('/health/live', 200)
    await app.as().get(`${orders}/openapi.json`, 200)
  }
  const [row] = await app.sql`select count(*)::int as count from audit_events`
  t.equal(row?.count, 8, 'a rate-limited request leaves no record')
})

t.test('behind a proxy the client address is the address that the proxy reports', async (t) => {
  const app = await testApp(t, { RATE_LIMIT: '5', TRUST_PROXY: 'true' })
  const from = async (told: string, seen: string) =>
    outcome(await app.as().get(`${orders}/orders`, undefined, { 'x-forwarded-for': `${told}, ${seen}` }))
  for (let at = 0; at < 5; at++) t.equal(await from(`192.0.2.${at}`, '198.51.100.1'), '401 unauthorized')
  t.equal(await from('192.0.2.9', '198.51.100.1'), '429 too-many-requests')
  t.equal(await from('192.0.2.9', '198.51.100.2'), '401 unauthorized')
})

t.test('a lagging server rejects requests, except for health checks', async (t) => {
  const app = await testApp(t, { EVENT_LOOP_DELAY_LIMIT: '20' })
  const nurse = app.as('MonitoringResponsible', organization('region'))
  const untilServed = async () => {
    while ((await nurse.get(`${orders}/parties`)).status !== 200) await pause(50)
  }
  await untilServed()
  let busy = true
  const hog = async () => {
    while (busy) {
      const end = Date.now() + 100
      while (Date.now() < end);
      await pause(1)
    }
  }
  const hogging = hog()
  let refusal = await nurse.get(`${orders}/parties`)
  while (refusal.status === 200) refusal = await nurse.get(`${orders}/parties`)
  const health = await app.as().get('/health/live')
  busy = false
  await hogging
  t.equal(outcome(refusal), '503 busy')
  t.equal(refusal.headers['retry-after'], '5')
  t.equal(health.status, 200)
  await untilServed()
})
