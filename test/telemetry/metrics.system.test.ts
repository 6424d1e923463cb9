import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { freePort, readyServer } from '../fixtures/server.js'
import { unboundedLabels } from '../fixtures/telemetry.js'

const authorization = tokenOf('AdministrativeClerk', 'o')

/** The value of the series with these labels, or undefined. */
function seriesValue(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const line = text
    .split('\n')
    .find(
      (each) =>
        each.startsWith(name) &&
        /^[{ ]/.test(each.slice(name.length)) &&
        Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`))
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
}

t.test('requests, queries and the process are measured', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const METRICS_PORT = String(await freePort())
  const server = await readyServer(t, { DATABASE_URL, METRICS_PORT })
  const scrape = async () => (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
  const get = (path: string) => fetch(server.url + path, { headers: { authorization } })

  for (let index = 0; index < 3; index++) t.equal((await get('/ssl-order/v1/parties')).status, 200)
  await get('/ssl-order/v1/party/01a1fd78-8070-733a-b409-86d8293d59aa')
  await get('/ssl-order/v1/parties?organization=x&colour=red')
  for (let index = 0; index < 5; index++) await get(`/nowhere/${index}`)
  await fetch(`${server.url}/ssl-order/v1/parties`, { method: 'PROPFIND', headers: { authorization } })

  const text = await scrape()
  const request = 'http_server_request_duration_seconds_count'
  const parties = { http_route: '/ssl-order/v1/parties', http_response_status_code: '200' }
  t.equal(seriesValue(text, request, parties), 3, 'by route and status')
  t.equal(seriesValue(text, request, { error_type: 'not-found', http_route: '/ssl-order/v1/party/:id' }), 1)
  t.equal(seriesValue(text, request, { http_response_status_code: '400' }), 1)
  const unknown = text
    .split('\n')
    .filter((line) => line.startsWith(`${request}{`) && !line.includes('http_route'))
  t.ok(unknown.length <= 3, 'requests without a route share series')
  t.notMatch(text, /nowhere|colour/, 'no label takes its value from a request')
  t.same(unboundedLabels(text), [])
  t.ok(
    (seriesValue(text, 'db_client_operation_duration_seconds_count', {
      db_client_connection_pool_name: 'primary'
    }) ?? 0) >= 4
  )
  for (const name of [
    'nodejs_eventloop_delay_max_seconds',
    'nodejs_eventloop_utilization_ratio',
    'process_memory_usage_bytes',
    'db_client_connection_max',
    'db_client_connection_pending_requests',
    'ssl_event_feed_delay_seconds',
    'ssl_audit_partitions_age_seconds',
    'ssl_log_lost_lines_total'
  ])
    t.type(seriesValue(text, name), 'number', name)
  t.match(text, /^target_info\{.*service_name="ssl-backend".*service_version="\d/m)

  t.equal((await fetch(`http://127.0.0.1:${METRICS_PORT}/`)).status, 404)
  t.equal((await fetch(`${server.url}/metrics`)).status, 404, 'not on the port of the API')
  t.equal(await server.stop(), 0, 'metrics do not delay the shutdown')
})

t.test('metrics show a failed audit record and a full pool', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const METRICS_PORT = String(await freePort())
  const server = await readyServer(t, { DATABASE_URL, METRICS_PORT, DATABASE_POOL: '2' })
  const sql = postgres(DATABASE_URL, { max: 2, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 5 }))
  const scrape = async () => (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
  const gauge = async (name: string, labels?: Record<string, string>) =>
    seriesValue(await scrape(), name, labels)
  const nurse = tokenOf('MonitoringResponsible', 'o')
  const orders = () => fetch(`${server.url}/ssl-order/v1/orders`, { headers: { authorization: nurse } })

  await sql`alter table audit_events add constraint broken check (false) not valid`
  t.equal((await orders()).status, 503)
  t.equal(seriesValue(await scrape(), 'ssl_audit_write_duration_seconds_count', { error_type: '23514' }), 1)
  await sql`alter table audit_events drop constraint broken`

  const parties = () => fetch(`${server.url}/ssl-order/v1/parties?limit=100`, { headers: { authorization } })
  const waiting = await sql.begin(async (tx) => {
    await tx`lock table parties`
    const sent = Array.from({ length: 20 }, parties)
    while (((await gauge('db_client_connection_pending_requests')) ?? 0) === 0);
    t.equal(await gauge('db_client_connection_usage', { db_client_connection_state: 'used' }), 2)
    return { sent }
  })
  for (const response of await Promise.all(waiting.sent)) t.equal(response.status, 200)
  t.equal(await gauge('db_client_connection_pending_requests'), 0)
})
