import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startCollector } from '../fixtures/collector.js'
import { freePort, startServer, temporaryFolder } from '../fixtures/server.js'
import { wire } from '../fixtures/wire.js'
import { organization } from '../fixtures/world.js'

const planted = 'Zaphod-4711'

t.test('log, metrics, spans and events contain no patient data', async (t) => {
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
  const tokens: string[] = []

  async function call(
    userType: 'AdministrativeClerk' | 'MonitoringResponsible',
    method: string,
    path: string,
    body?: unknown
  ) {
    const token = unsignedToken({ userType, organization: organization('o'), name: planted })
    tokens.push(token)
    const response = await fetch(path.startsWith('http') ? path : server.url + path, {
      method,
      headers: {
        authorization: token,
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    })
    return {
      status: response.status,
      text: await response.text(),
      location: response.headers.get('location') ?? ''
    }
  }

  const party = await call('AdministrativeClerk', 'POST', '/ssl-order/v1/party', {
    allowedRoles: ['BUYER', 'SELLER'],
    name: 'Region',
    organization: organization('o')
  })
  const patient = `https://fhir.example/Patient/${planted}`
  const receiver = { name: planted, addressLine1: planted, phone: planted, patient }
  const draft = { buyer: party.location, seller: party.location, receiver, notes: [{ note: planted }] }
  const order = await call('MonitoringResponsible', 'POST', '/ssl-order/v1/order', draft)
  t.equal(order.status, 201)
  await sql`alter table trace_lines add constraint broken check (false) not valid`

  const refusals: [method: string, path: string, body: unknown, status: number][] = [
    ['POST', '/ssl-order/v1/order', draft, 500],
    [
      'PATCH',
      order.location,
      [
        { op: 'replace', path: '/priority', value: true },
        { op: 'add', path: '/notes/-', value: { note: planted } }
      ],
      500
    ],
    ['POST', '/ssl-order/v1/order', `{"receiver": {"name": "${planted}"`, 400],
    ['POST', '/ssl-order/v1/order', { ...draft, [planted.toLowerCase()]: 1 }, 400],
    [
      'POST',
      '/ssl-order/v1/order',
      { ...draft, receiver: { ...receiver, patient: `${patient}?x=${planted}` } },
      422
    ],
    ['PATCH', order.location, [{ op: 'test', path: '/receiver/name', value: 'somebody else' }], 409],
    ['PATCH', order.location, [{ op: 'remove', path: '/receiver/name' }], 422],
    ['PATCH', order.location, [{ op: 'add', path: '/statusReason', value: { text: planted } }], 422],
    [
      'PATCH',
      order.location,
      [
        { op: 'replace', path: '/status', value: 'CANCELLED' },
        { op: 'add', path: '/statusReason', value: { code: planted, text: planted } }
      ],
      422
    ],
    [
      'PATCH',
      order.location,
      [
        { op: 'replace', path: '/status', value: 'CANCELLED' },
        { op: 'add', path: '/statusReason', value: { text: planted } }
      ],
      500
    ],
    ['PATCH', order.location, [{ op: 'replace', path: '/receiver/nothing', value: planted }], 422],
    ['GET', `/ssl-catalogue/v1/catalogue-items?patient=${encodeURIComponent(patient)}`, undefined, 200],
    ['GET', `/ssl-catalogue/v1/catalogue-items?patient=${planted}`, undefined, 400],
    [
      'GET',
      `/ssl-catalogue/v1/black-lists?patient=${encodeURIComponent(patient)}&colour=${planted}`,
      undefined,
      400
    ],
    ['GET', `/ssl-order/v1/order/${planted}`, undefined, 404],
    ['GET', `/nowhere/${planted}?patient=${planted}`, undefined, 404]
  ]
  for (const [method, path, body, status] of refusals) {
    const response = await call('MonitoringResponsible', method, path, body)
    t.equal(response.status, status, `${method} ${path} ${response.text}`)
    if (status >= 400) t.notMatch(response.text, new RegExp(planted), `${method} ${path}`)
  }

  await readEvents()
  const port = Number(new URL(server.url).port)
  const search = `?patient=${encodeURIComponent(patient)}&q=${planted}`
  const head = (line: string) => `${line}\r\nhost: x\r\nauthorization: ${tokens[1]}\r\n`
  for (const [sent, status] of [
    [`GET /ssl-order/v1/orders${search} HTTP/1.1\r\nx ${planted}\r\n\r\n`, 400],
    [`${head(`GET /ssl-order/v1/orders${search} HTTP/2.0`)}\r\n`, 505],
    [`${head(`GET /ssl-order/v1/orders${search} HTTP/1.1`)}expect: ${planted}\r\n\r\n`, 417],
    [`${head(`GET /ssl-order/v1/orders${search} HTTP/1.1`)}host: ${planted}\r\n\r\n`, 400],
    [
      `${head(`POST /ssl-order/v1/order${search} HTTP/1.1`)}content-type: application/json\r\ncontent-length: 99\r\n\r\n{"${planted}`,
      400
    ]
  ] as const) {
    const { send, socket, until, closed } = wire(t, port)
    send(sent)
    if (!sent.includes('content-length: 99')) await until(/\r\n\r\n.*\}$/)
    socket.end()
    const [response] = await closed()
    t.equal(response?.status, status, sent)
    t.notMatch(response?.text, new RegExp(planted))
  }

  /** Submits an order, and reads what the ledger and the feed say about it. */
  async function readEvents(): Promise<void> {
    await sql`alter table trace_lines drop constraint broken`
    const change = [
      { op: 'add', path: '/notes/-', value: { note: planted } },
      ...[
        { op: 'replace', path: '/status', value: 'CANCELLED' },
        { op: 'add', path: '/statusReason', value: { text: planted } }
      ]
    ]
    t.equal((await call('MonitoringResponsible', 'PATCH', order.location, change)).status, 204)
    const feed = '/ssl-order/v1/events'
    const { status, text } = await call('MonitoringResponsible', 'GET', feed)
    t.equal(status, 200)
    t.match(text, /order.status-changed/)
    const controller = new AbortController()
    const stream = await fetch(server.url + feed, {
      headers: { authorization: tokens[1] ?? '', accept: 'text/event-stream', traceparent: planted },
      signal: controller.signal
    })
    let streamed = ''
    const decoder = new TextDecoder()
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      streamed += decoder.decode(chunk, { stream: true })
      if (streamed.includes('order.status-changed')) break
    }
    controller.abort()
    const ledger = (await sql`select e::text as row from events e`).map(({ row }) => row).join('\n')
    t.match(ledger, /order.note-added/)
    for (const [where, found] of Object.entries({ feed: text, stream: streamed, ledger }))
      t.notMatch(found, /zaphod|patient/i, where)
    for (const query of ['after', 'types', 'limit']) {
      const refused = await call('MonitoringResponsible', 'GET', `${feed}?${query}=${planted}`)
      t.equal(refused.status, 400, query)
      t.notMatch(refused.text, new RegExp(planted), query)
    }
  }
  const aborted = wire(t, port)
  aborted.send(
    `${head(`POST /ssl-order/v1/order${search} HTTP/1.1`)}content-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n`
  )
  await aborted.until('100 Continue')
  aborted.socket.resetAndDestroy()
  while (!server.output().includes('aborted by the client'))
    await once(server.process.stdout ?? server.process, 'data')

  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
  t.match(metrics, /http_server_request_duration_seconds_count\{.*error_type="aborted"/)
  await server.stop()
  t.ok(collector.spans().length > refusals.length, 'the end of the program exports the last spans')
  const log = server.output()
  t.match(log, /"route":"\/ssl-order\/v1\/order\/:id"/, 'requests are logged, by their route')
  t.match(log, /broken/, 'a database error is logged with the name of the constraint')
  t.notMatch(log, /zaphod/i)
  t.notMatch(log, /insert into|update /i, 'no SQL')
  for (const [where, text] of Object.entries({ log, metrics, spans: collector.text() })) {
    t.notMatch(text, /zaphod/i, where)
    for (const token of tokens) t.notOk(text.includes(token.split('.')[1] ?? token), `no token in ${where}`)
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
  const password = readFileSync(`${DATA_DIR}/cluster/password`, 'utf8').trim()
  const [, , , port] = readFileSync(`${DATA_DIR}/cluster/data/postmaster.pid`, 'utf8').split('\n')
  const sql = postgres({
    host: '127.0.0.1',
    port: Number(port),
    username: 'postgres',
    password,
    database: 'ssl'
  })
  t.teardown(() => sql.end({ timeout: 5 }))
  t.same(await sql`show log_error_verbosity`, [{ log_error_verbosity: 'terse' }])
  const twin = sql`
    insert into black_list_entries
    select (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* from black_list_entries b`
  await t.rejects(twin, { code: '23505', detail: /Zaphod/ })
  t.match(log(), /unique constraint "black_list_entries/)
  t.notMatch(log(), /zaphod/i)
})
