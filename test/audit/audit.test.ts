import { randomUUID } from 'node:crypto'
import t from 'tap'
import { userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { rowsOf } from '../fixtures/audit/rows.js'
import { type ApiResponse, callersOf } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import type { RouteRow } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { scrape } from '../fixtures/telemetry.js'
import { until } from '../fixtures/waiting.js'
import { listenOnLoopback } from '../fixtures/wire.js'
import { catalogue, orders, organization, pathOf, patient } from '../fixtures/world.js'

/**
 * Events contain no patient data. Reads of the feed are recorded if they name orders, as the test
 * of the feed shows.
 */
const isAboutPatients = ({ permission, alternatives }: RouteRow) =>
  /^(Order|OrderLine|TraceLine|BlackList|AuditEvent)\./.test(permission) && alternatives === undefined

const app = await testApp(t)
const g = await populatedWorld(app)
const aboutPatients = Object.entries(table).filter(([, row]) => isAboutPatients(row))
t.ok(aboutPatients.length >= 20)

/** The audit record of a response. */
const recordsOf = ({ headers }: ApiResponse) => rowsOf(app.sql, headers['x-request-id'] ?? '')

t.test('requests without a token or without patient data leave no record', async (t) => {
  for (const response of [
    await app.as().get(pathOf(g.order), 401),
    await g.nurse.get(`${orders}/parties`, 200),
    await g.nurse.get(`${catalogue}/catalogue-items`, 200)
  ])
    t.same(await recordsOf(response), [])
})

t.test('every route on patient data records a rejected caller', async (t) => {
  for (const [route, { who, permission }] of aboutPatients)
    for (const as of userTypes) {
      const [method = '', path = ''] = route.split(' ')
      const permissions = who[as] === undefined ? [permission] : []
      const response = await app
        .as(as, organization('region'), { permissions })
        .send({ method: method as 'GET', url: path.replace(':id', unknownId) })
      t.equal(response.status, 403, `${route} by ${as}`)
      t.equal(response.headers['cache-control'], 'no-store')
      t.match(await recordsOf(response), [{ problem: 'forbidden', user_type: as }], `${route} by ${as}`)
    }
})

t.test('a page with a cursor that contains a patient is recorded', async (t) => {
  const search = new URLSearchParams({ patient: patient('named'), limit: '1' })
  const first = await g.nurse.get(`${catalogue}/catalogue-items?${search}`, 200)
  const records = await recordsOf(await g.nurse.get(nextOf(first), 200))
  t.match(records, [
    { operation: 'listCatalogueItem', patients: [app.app.audit.patientHash(patient('named'))] }
  ])
})

/** Names of the headers of the response when the audit record of the request fails. */
const headersWithoutRecord =
  /^(cache-control|connection|content-(language|length|type)|cross-origin-.*|date|origin-agent-cluster|referrer-policy|retry-after|strict-transport-security|vary|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|request-id|xss-protection))$/

t.test('a request whose audit record fails writes and returns nothing', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const requests = []
  for (const [route, row] of aboutPatients)
    for (const as of userTypes.filter((each) => row.who[each] !== undefined))
      requests.push({ route, as, ...(await row.request(g, as)) })
  await app.sql`alter table audit_events add constraint broken check (false) not valid`
  const before = await contentOf(app.sql)
  const counted = { count: 'true', updatedSince: '2020-01-01', limit: '1' }
  requests.push({ route: `GET ${orders}/orders`, as: 'MonitoringResponsible' as const, query: counted })
  for (const { route, as, of = '', query = {}, payload } of requests) {
    const [method = '', path = ''] = route.split(' ')
    const caller = app.as(as, organization(as === 'Provider' ? 'provider' : 'region'))
    const response = await caller.send({
      method: method as 'GET',
      url: `${path.replace(':id', idOf(of))}?${new URLSearchParams(query)}`,
      ...(payload ? { payload: payload as object } : {})
    })
    t.match(String(response.status), /^50[03]$/, `${route} by ${as}`)
    t.notOk(JSON.stringify(response).includes('Rasmus'), `${route} by ${as} reveals nothing`)
    const others = Object.keys(response.headers).filter((name) => !headersWithoutRecord.test(name))
    t.same(others, [], `${route} by ${as} has no header of the response`)
  }
  t.same(await contentOf(app.sql), before, 'nothing was written')
  await app.as('MonitoringResponsible', organization('region')).get(`${catalogue}/catalogue-items`, 200)
})

t.test('a request that cannot be recorded keeps the headers that do not depend on its result', async (t) => {
  const origin = 'https://app.example'
  const { as, sql } = await testApp(t, { CORS_ORIGINS: origin, RATE_LIMIT: '5' })
  await sql`alter table audit_events add constraint broken check (false) not valid`
  const nurse = as('MonitoringResponsible', organization('region'))
  const { status, headers } = await nurse.get(`${orders}/orders`, undefined, { origin })
  t.equal(status, 503)
  t.match(headers, {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': /retry-after/,
    'cache-control': 'no-store',
    ratelimit: '"caller";r=4;t=60',
    'ratelimit-policy': '"caller";q=5;w=60',
    vary: 'Origin, Accept-Language'
  })
})

t.test('a request that cannot be recorded has one code in response, log and metric', async (t) => {
  const app = await testApp(t)
  const url = `http://127.0.0.1:${await listenOnLoopback(app.app)}`
  const nurse = callersOf(url)('MonitoringResponsible', organization('region'))
  await app.sql`alter table audit_events add constraint broken check (false) not valid`
  const codesOf = async () => {
    const id = randomUUID()
    const headers = { 'x-request-id': id, accept: 'application/problem+json' }
    const { body } = await nurse.get(`${orders}/orders`, undefined, headers)
    const lineOf = () => app.lines.find((line) => line.includes(id) && line.includes('request completed'))
    await until(() => lineOf() !== undefined)
    return [body.code, JSON.parse(lineOf() ?? '').code]
  }
  const countOf = async (code: string) => {
    const labels = `http_response_status_code="5..",http_route="${orders}/orders",error_type="${code}"`
    const [, count] =
      new RegExp(`request_duration_seconds_count{.*${labels}} (\\d+)`).exec(await scrape()) ?? []
    return Number(count ?? 0)
  }
  const [recorded, failed] = [await countOf('database-unavailable'), await countOf('internal-error')]
  t.same(await codesOf(), ['database-unavailable', 'database-unavailable'], 'instead of a success')
  await app.sql`alter table orders rename column priority to other`
  t.same(await codesOf(), ['database-unavailable', 'database-unavailable'], 'instead of an internal error')
  t.equal(await countOf('database-unavailable'), recorded + 2)
  t.equal(await countOf('internal-error'), failed)
})

t.test('concurrent reads share commits, and a failed audit record fails only its own read', async (t) => {
  const region = organization('region')
  const reader = app.as('MonitoringResponsible', region, { name: 'reader' })
  const odd = app.as('MonitoringResponsible', region, { name: 'odd' })
  const reads = { getOrder: pathOf(g.order), getOrderDetails: `${pathOf(g.order)}/details` }
  for (const [operation, address] of Object.entries(reads)) {
    await Promise.all(Array.from({ length: 200 }, () => reader.get(address, 200)))
    const [row] = await app.sql`
      select count(*)::int as count, count(distinct xmin::text)::int as commits from audit_events
      where operation = ${operation} and user_id = 'reader'`
    t.equal(row?.count, 200, operation)
    t.ok(row?.commits < 100, `${row?.commits} commits of ${operation}`)
  }
  await app.sql`alter table audit_events add constraint picky check (user_id is distinct from 'odd') not valid`
  for (const [operation, address] of Object.entries(reads)) {
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at === 7 ? odd : reader).get(address))
    )
    const refused = all.flatMap(({ status }, at) => (status === 200 ? [] : [[at, status]]))
    t.same(refused, [[7, 503]], operation)
  }
  await app.sql`alter table audit_events drop constraint picky`
})

t.test('one statement reads the details of an order and records their reader', async (t) => {
  const provider = app.as('Provider', organization('provider'))
  const sent = recordStatements(app.app)
  const response = await provider.get(`${pathOf(g.order)}/details`, 200)
  // Background loops send other statements meanwhile.
  const ofRead = sent.filter(({ text }) => /trace_lines|audit_events/.test(text))
  t.equal(ofRead.length, 1)
  t.match(await recordsOf(response), [
    { operation: 'getOrderDetails', problem: null, orders: [idOf(g.order)] }
  ])
  // With `expand` a later read may fail, so the record is written when the outcome is known.
  const expanded = await provider.get(`${pathOf(g.order)}/details?expand=items`, 200)
  t.equal((await recordsOf(expanded)).length, 1)
  await app.sql`alter table catalogue_items rename to unreadable`
  const failed = await provider.get(`${pathOf(g.order)}/details?expand=items`, 500)
  await app.sql`alter table unreadable rename to catalogue_items`
  t.match(await recordsOf(failed), [{ operation: 'getOrderDetails', problem: 'internal-error' }])
  const stranger = app.as('Provider', organization('stranger'))
  const refused = await stranger.get(`${pathOf(g.order)}/details`, 404)
  t.match(await recordsOf(refused), [{ problem: 'not-found', orders: [idOf(g.order)] }], 'once')
})
