import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf, tokenOf } from '../fixtures/callers.js'
import { startCollector } from '../fixtures/collector.js'
import { runningDatabase } from '../fixtures/running-database.js'
import { freePort, readyServer, temporaryFolder } from '../fixtures/server.js'
import { headOf, wire } from '../fixtures/wire.js'
import {
  add,
  catalogue,
  deviceModel,
  orders,
  organization,
  party,
  pathOf,
  transitionTo
} from '../fixtures/world.js'

const planted = 'Zaphod-4711'

/* fixtures/leaks.ts checks the log, the error responses and the events of each test. */

t.test('log, metrics and spans of the program contain no patient data', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const collector = await startCollector(t)
  const METRICS_PORT = String(await freePort())
  const server = await readyServer(t, {
    DATABASE_URL,
    METRICS_PORT,
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1'
  })
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 5 }))
  const tokens = (['AdministrativeClerk', 'MonitoringResponsible'] as const).map((userType) =>
    tokenOf(userType, 'o', { name: planted })
  )
  const as = callersOf(server.url)
  const clerk = as('AdministrativeClerk', organization('o'), { name: planted })
  const nurse = as('MonitoringResponsible', organization('o'), { name: planted })

  const buyer = await clerk.create(`${orders}/party`, party('o', 'BUYER', 'SELLER'))
  const patient = `https://fhir.example/Patient/${planted}`
  const receiver = { name: planted, addressLine1: planted, phone: planted, patient }
  const draft = { buyer, seller: buyer, receiver, notes: [{ note: planted }] }
  const order = pathOf(await nurse.create(`${orders}/order`, draft))
  await sql`alter table trace_lines add constraint broken check (false) not valid`
  const search = `?patient=${encodeURIComponent(patient)}&q=${planted}`
  const note = add('/notes/-', { note: planted })
  const responses = [
    await nurse.post(`${orders}/order`, draft, 500),
    await nurse.patch(order, [note, ...transitionTo('CANCELLED')], 500),
    await nurse.patch(order, [{ ...note, op: 'test', path: '/name' }], 409),
    await nurse.post(`${orders}/order`, { ...draft, [planted.toLowerCase()]: 1 }, 400),
    await nurse.get(`${orders}/order/${planted}`, 404),
    await nurse.get(`/nowhere/${planted}${search}`, 404)
  ]
  for (const { status, body } of responses) t.notMatch(JSON.stringify(body), planted, `${status}`)
  await nurse.get(`${orders}/orders${search}`, 200)

  const port = Number(new URL(server.url).port)
  const unreadable = wire(t, port)
  unreadable.send(`GET ${orders}/orders${search} HTTP/1.1\r\nx ${planted}\r\n\r\n`)
  t.match(await unreadable.closed(), [{ status: 400 }])
  const aborted = wire(t, port)
  const body = ['content-type: application/json', 'content-length: 99', 'expect: 100-continue']
  aborted.send(headOf('POST', `${orders}/order${search}`, `authorization: ${tokens[1]}`, ...body))
  await aborted.until('100 Continue')
  aborted.socket.resetAndDestroy()
  while (!server.output().includes('aborted by the client'))
    await once(server.process.stdout ?? server.process, 'data')

  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
  t.match(metrics, /http_server_request_duration_seconds_count\{.*error_type="aborted"/)
  await server.stop()
  t.ok(collector.spans().length > responses.length, 'the end of the program exports the last spans')
  const log = server.output()
  t.match(log, /"route":"\/ssl-order\/v1\/order\/:id"/, 'requests are logged, by their route')
  t.match(log, /broken/, 'a database error is logged with the name of the constraint')
  t.notMatch(log, /insert into|update /i, 'no SQL')
  for (const [where, text] of Object.entries({ log, metrics, spans: collector.text() })) {
    t.notMatch(text, /zaphod/i, where)
    for (const token of tokens) t.notOk(text.includes(token.split('.')[1] ?? token), `no token in ${where}`)
  }
})

t.test('the log of the embedded database contains no patient data', async (t) => {
  const DATA_DIR = `${temporaryFolder(t)}/data`
  const server = await readyServer(t, { DATA_DIR })
  const as = callersOf(server.url)
  const clerk = as('AdministrativeClerk', organization('o'))
  const nurse = as('MonitoringResponsible', organization('o'))
  const seller = await clerk.create(`${orders}/party`, party('o', 'SELLER'))
  const list = await clerk.create(`${catalogue}/catalogue`, { seller, name: 'Devices' })
  const item = await clerk.create(`${catalogue}/catalogue-item`, deviceModel(list))
  const entry = { patient: `https://fhir.example/Patient/${planted}`, item }
  const twice = await Promise.all([1, 2].map(() => nurse.post(`${catalogue}/black-list`, entry)))
  t.same(twice.map((response) => response.status).sort(), [201, 409])
  const log = () => readFileSync(`${DATA_DIR}/postgres.log`, 'utf8')
  t.notMatch(log(), /zaphod/i)

  // By default PostgreSQL logs the whole row that violates a constraint.
  const sql = postgres(await runningDatabase(DATA_DIR), { max: 1 })
  t.teardown(() => sql.end({ timeout: 5 }))
  t.same(await sql`show log_error_verbosity`, [{ log_error_verbosity: 'terse' }])
  const twin = sql`
    insert into black_list_entries
    select (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* from black_list_entries b`
  await t.rejects(twin, { code: '23505', detail: /Zaphod/ })
  t.match(log(), /unique constraint "black_list_entries/)
  t.notMatch(log(), /zaphod/i)
})
