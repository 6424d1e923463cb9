import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { runningDatabase } from '../../src/embedded-postgres/index.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startCollector } from '../fixtures/collector.js'
import { freePort, startServer, temporaryFolder } from '../fixtures/server.js'
import { wire } from '../fixtures/wire.js'
import { moveTo, orders, organization } from '../fixtures/world.js'

const planted = 'Zaphod-4711'

/* The log, the refusals and the events of each test are checked by fixtures/leaks.ts. */

t.test('log, metrics and spans of the program contain no patient data', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const collector = await startCollector(t)
  const METRICS_PORT = String(await freePort())
  const server = await startServer(t, {
    DATABASE_URL,
    METRICS_PORT,
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1'
  })
  await server.ready()
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 5 }))
  const tokenOf = (userType: UserType) =>
    unsignedToken({ userType, organization: organization('o'), name: planted })
  const [clerk, nurse] = [tokenOf('AdministrativeClerk'), tokenOf('MonitoringResponsible')]

  async function call(authorization: string, method: string, path: string, body?: unknown) {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const text = await response.text()
    if (response.status >= 400) t.notMatch(text, new RegExp(planted), `${method} ${path}`)
    return { status: response.status, location: response.headers.get('location') ?? '' }
  }

  const body = { allowedRoles: ['BUYER', 'SELLER'], name: 'Region', organization: organization('o') }
  const party = (await call(clerk, 'POST', `${orders}/party`, body)).location
  const patient = `https://fhir.example/Patient/${planted}`
  const receiver = { name: planted, addressLine1: planted, phone: planted, patient }
  const draft = { buyer: party, seller: party, receiver, notes: [{ note: planted }] }
  const order = await call(nurse, 'POST', `${orders}/order`, draft)
  t.equal(order.status, 201)
  await sql`alter table trace_lines add constraint broken check (false) not valid`
  const search = `?patient=${encodeURIComponent(patient)}&q=${planted}`
  const note = { op: 'add', path: '/notes/-', value: { note: planted } }
  const requests: { method: string; path: string; body?: unknown; status: number }[] = [
    { method: 'POST', path: `${orders}/order`, body: draft, status: 500 },
    { method: 'PATCH', path: order.location, body: [note, ...moveTo('CANCELLED')], status: 500 },
    { method: 'PATCH', path: order.location, body: [{ ...note, op: 'test', path: '/name' }], status: 409 },
    { method: 'POST', path: `${orders}/order`, body: { ...draft, [planted.toLowerCase()]: 1 }, status: 400 },
    { method: 'GET', path: `${orders}/orders${search}`, status: 200 },
    { method: 'GET', path: `${orders}/order/${planted}`, status: 404 },
    { method: 'GET', path: `/nowhere/${planted}${search}`, status: 404 }
  ]
  for (const { method, path, body, status } of requests)
    t.equal((await call(nurse, method, path, body)).status, status, `${method} ${path}`)

  const port = Number(new URL(server.url).port)
  const unreadable = wire(t, port)
  unreadable.send(`GET ${orders}/orders${search} HTTP/1.1\r\nx ${planted}\r\n\r\n`)
  t.match(await unreadable.closed(), [{ status: 400 }])
  const aborted = wire(t, port)
  aborted.send(
    `POST ${orders}/order${search} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${nurse}\r\ncontent-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n`
  )
  await aborted.until('100 Continue')
  aborted.socket.resetAndDestroy()
  while (!server.output().includes('aborted by the client'))
    await once(server.process.stdout ?? server.process, 'data')

  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
  t.match(metrics, /http_server_request_duration_seconds_count\{.*error_type="aborted"/)
  await server.stop()
  t.ok(collector.spans().length > requests.length, 'the end of the program exports the last spans')
  const log = server.output()
  t.match(log, /"route":"\/ssl-order\/v1\/order\/:id"/, 'requests are logged, by their route')
  t.match(log, /broken/, 'a database error is logged with the name of the constraint')
  t.notMatch(log, /insert into|update /i, 'no SQL')
  for (const [where, text] of Object.entries({ log, metrics, spans: collector.text() })) {
    t.notMatch(text, /zaphod/i, where)
    for (const token of [clerk, nurse])
      t.notOk(text.includes(token.split('.')[1] ?? token), `no token in ${where}`)
  }
})

t.test('the log of the embedded database contains no patient data', async (t) => {
  const DATA_DIR = `${temporaryFolder(t)}/data`
  const server = await startServer(t, { DATA_DIR })
  await server.ready()
  const authorization = unsignedToken({ userType: 'MonitoringResponsible', organization: organization('o') })
  const clerk = unsignedToken({ userType: 'AdministrativeClerk', organization: organization('o') })
  const post = async (path: string, body: object, token: string) => {
    const headers = { authorization: token, 'content-type': 'application/json' }
    return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const create = async (path: string, body: object) => (await post(path, body, clerk)).headers.get('location')
  const party = { allowedRoles: ['SELLER'], name: 'Seller', organization: organization('o') }
  const seller = await create('/ssl-order/v1/party', party)
  const catalogue = await create('/ssl-catalogue/v1/catalogue', { seller, name: 'Devices' })
  const device = { catalogueItemType: 'DeviceModel', catalogue, name: 'Scale', manufacturer: 'M', model: 'S' }
  const item = await create('/ssl-catalogue/v1/catalogue-item', device)
  const entry = { patient: `https://fhir.example/Patient/${planted}`, item }
  const twice = await Promise.all(
    [1, 2].map(() => post('/ssl-catalogue/v1/black-list', entry, authorization))
  )
  t.same(twice.map((response) => response.status).sort(), [201, 409])
  const log = () => readFileSync(`${DATA_DIR}/postgres.log`, 'utf8')
  t.notMatch(log(), /zaphod/i)

  // By default PostgreSQL logs the whole row that violates a constraint.
  const sql = postgres((await runningDatabase(DATA_DIR)) ?? '', { max: 1 })
  t.teardown(() => sql.end({ timeout: 5 }))
  t.same(await sql`show log_error_verbosity`, [{ log_error_verbosity: 'terse' }])
  const twin = sql`
    insert into black_list_entries
    select (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* from black_list_entries b`
  await t.rejects(twin, { code: '23505', detail: /Zaphod/ })
  t.match(log(), /unique constraint "black_list_entries/)
  t.notMatch(log(), /zaphod/i)
})
