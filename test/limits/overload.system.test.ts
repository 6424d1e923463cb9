import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { cloneDatabase, testApp } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { startServer } from '../fixtures/server.js'
import { orders, organization, patient, world } from '../fixtures/world.js'

const calm = await testApp(t)
const { nurse, createDraft } = await world(calm)

t.test('the rate limit applies to each caller', async (t) => {
  const app = await testApp(t, { RATE_LIMIT: '5' })
  const caller = (name: string, org = 'region') =>
    app.as('MonitoringResponsible', organization(org), { name })
  const url = `${orders}/orders`
  const first = caller('first')
  for (let at = 0; at < 5; at++) await first.get(url, 200)
  const refusal = await first.get(url)
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

t.test('behind a proxy the client address is the one that the proxy saw', async (t) => {
  const app = await testApp(t, { RATE_LIMIT: '5', TRUST_PROXY: 'true' })
  const from = async (told: string, seen: string) =>
    outcome(
      await app.as().send({
        method: 'GET',
        url: `${orders}/orders`,
        headers: { 'x-forwarded-for': `${told}, ${seen}` }
      })
    )
  for (let at = 0; at < 5; at++) t.equal(await from(`192.0.2.${at}`, '198.51.100.1'), '401 unauthorized')
  t.equal(await from('192.0.2.9', '198.51.100.1'), '429 too-many-requests')
  t.equal(await from('192.0.2.9', '198.51.100.2'), '401 unauthorized')
})

t.test('without the setting there is no rate limit', async () => {
  for (let at = 0; at < 300; at++) await nurse.get(`${orders}/parties`, 200)
})

t.test('a lagging server refuses work and answers health checks', async (t) => {
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

t.test('requests that trickle in delay no other request and end with 408', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t), REQUEST_TIMEOUT: '4000' })
  await server.ready()
  const { hostname, port } = new URL(server.url)
  const token = unsignedToken({ userType: 'MonitoringResponsible', organization: organization('region') })
  const head = `POST ${orders}/order HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n`
  const beginnings = [
    'GET / HT',
    head,
    `${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"na`,
    `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`
  ]
  const connected: Promise<unknown>[] = []
  const slow = Array.from({ length: 200 }, (_, at) => {
    const socket = connect(Number(port), hostname)
    const chunks: string[] = []
    socket.on('data', (chunk) => chunks.push(String(chunk)))
    socket.on('error', () => {})
    connected.push(once(socket, 'connect'))
    socket.write(beginnings[at % beginnings.length] ?? '')
    const trickle = setInterval(() => socket.writable && socket.write('a'), 1000)
    const closed = once(socket, 'close').then(() => {
      clearInterval(trickle)
      return chunks.join('')
    })
    t.teardown(() => socket.destroy())
    return closed
  })
  await Promise.all(connected)
  for (let at = 0; at < 20; at++) {
    const response = await fetch(`${server.url}${orders}/parties`, { headers: { authorization: token } })
    t.equal(response.status, 200)
    await response.arrayBuffer()
  }
  const responses = await Promise.all(slow)
  for (const [at, response] of responses.entries())
    t.match(response, at % 4 === 0 ? /^HTTP\/1.1 400/ : /^HTTP\/1.1 408/, `${at % 4} got its status`)
  t.notMatch(server.output(), /too much|busy/i)
})

t.test('a late response of PostgreSQL leaves no data in the log', async (t) => {
  await createDraft()
  const app = await testApp(t, { REQUEST_TIMEOUT: '1000' }, async () => calm.databaseUrl)
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const [{ port } = { port: 0 }] = app.app.addresses() as { port: number }[]
  const token = unsignedToken({ userType: 'MonitoringResponsible', organization: organization('region') })
  const late = `${orders}/orders?patient=${encodeURIComponent(patient('p1'))}`
  const ask = () =>
    fetch(`http://127.0.0.1:${port}${late}`, { headers: { authorization: token } }).then(
      ({ status }) => status
    )
  await calm.sql.begin(async (tx) => {
    await tx`lock table orders in access exclusive mode`
    t.equal(await ask(), 503)
  })
  await calm.sql.begin(async (tx) => {
    await tx`lock table orders in access exclusive mode`
    const asked = ask()
    const isOver = asked.then(() => true)
    const end = () => calm.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    while ((await end()).length === 0 && !(await Promise.race([isOver, pause(5, false)])));
    t.equal(await asked, 503)
  })
  const active = () => calm.sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'ssl-backend' and state <> 'idle'`
  while ((await active()).length > 0) await pause(5)
  await nurse.get(late, 200)
})
