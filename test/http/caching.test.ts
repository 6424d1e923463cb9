import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { catalogue, orders, pathOf, patient, world } from '../fixtures/world.js'

const app = await testApp(t)
const { clerk, nurse, submitted, monitor, catalogue: list, buyer } = await world(app)
const about = encodeURIComponent(patient('p1'))
const items = `${catalogue}/catalogue-items?buyer=${encodeURIComponent(buyer)}`
const getIfNoneMatch = (url: string, etag = '*') => nurse.get(url, undefined, { 'if-none-match': etag })

t.test('responses about patients are not cached', async (t) => {
  const { order, lines } = await submitted()
  for (const url of [
    pathOf(order),
    `${pathOf(order)}/details`,
    pathOf(lines[0] ?? ''),
    `${orders}/orders`,
    `${orders}/trace-lines?order=${encodeURIComponent(order)}`,
    `${catalogue}/black-lists?patient=${about}`,
    `${items}&patient=${about}`
  ])
    t.equal((await nurse.get(url, 200)).headers['cache-control'], 'no-store', url)
  t.equal((await nurse.get(`${orders}/order/none`, 404)).headers['cache-control'], 'no-store')
  const first = await nurse.get(`${items}&patient=${about}&limit=1`, 200)
  const { headers } = await nurse.get(nextOf(first), 200)
  t.equal(headers['cache-control'], 'no-store', 'nor a page with a cursor of the patient')
})

t.test('catalogues are revalidated and sent only when changed', async (t) => {
  for (const url of [pathOf(list), pathOf(monitor), items])
    t.equal((await nurse.get(url, 200)).headers['cache-control'], 'private, no-cache', url)
  const { headers, body } = await nurse.get(pathOf(monitor), 200)
  for (const known of [`"other", W/${headers.etag}`, '*'])
    t.equal((await getIfNoneMatch(pathOf(monitor), known)).status, 304, known)
  await clerk.put(pathOf(monitor), { ...body, name: 'Changed' }, 204)
  t.match(await getIfNoneMatch(pathOf(monitor), headers.etag), { status: 200, body: { name: 'Changed' } })
})

t.test('only successful reads respond with 304', async (t) => {
  const unknown = `${pathOf(list).slice(0, -36)}01a1fd78-8070-733a-b409-86d8293d59aa`
  const cases = [
    { method: 'POST', url: `${catalogue}/catalogue-items`, payload: [], status: 201 },
    { method: 'POST', url: `${catalogue}/catalogue`, payload: {}, status: 400 },
    { method: 'GET', url: unknown, status: 404 },
    { method: 'GET', url: `${catalogue}/black-lists`, status: 403 },
    { method: 'GET', url: `${catalogue}/catalogues?x=1`, status: 400 }
  ] as const
  for (const { status, ...request } of cases) {
    const send = (etag = '') =>
      clerk.send({ ...request, headers: { 'x-request-id': unknownId, 'if-none-match': etag } })
    const { headers } = await send()
    t.equal((await send(headers.etag ?? '*')).status, status, `${request.method} ${request.url}`)
  }
})

t.test('uses a uuid or trace id of the caller as the request id, otherwise makes one', async (t) => {
  const ask = (headers: Record<string, string>) => app.as().get('/nowhere', 404, headers)
  const given = await ask({ 'x-request-id': unknownId })
  t.equal(given.headers['x-request-id'], unknownId)
  t.equal(given.body.instance, unknownId)
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
  t.equal((await ask({ traceparent })).headers['x-request-id'], 'ab'.repeat(16))
  t.equal((await ask({ traceparent, 'x-request-id': 'Nancy' })).headers['x-request-id'], 'ab'.repeat(16))
  t.equal((await ask({ traceparent, 'x-request-id': unknownId })).headers['x-request-id'], unknownId)
  const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
  for (const id of ['', 'a b', 'Nancy-0101011234', 'ab'.repeat(16), `${unknownId}0`, '<script>'])
    t.match((await ask({ 'x-request-id': id })).headers['x-request-id'], uuid, id)
  t.match((await ask({ traceparent: '00-Nancy-0101011234-01' })).headers['x-request-id'], uuid)
})

t.test('every response has security headers', async (t) => {
  const cases: { status: number; method?: 'PUT'; url: string; by?: Caller }[] = [
    { status: 200, url: `${orders}/orders`, by: nurse },
    { status: 200, url: '/health/live' },
    { status: 401, url: `${orders}/orders` },
    { status: 404, url: '/nowhere' },
    { status: 405, method: 'PUT', url: `${orders}/orders` },
    { status: 400, url: `${orders}/orders?q=%00`, by: nurse }
  ]
  for (const { status, method = 'GET', url, by = app.as() } of cases)
    t.match(
      await by.send({ method, url }),
      {
        status,
        headers: {
          'strict-transport-security': /^max-age=\d{8}; includeSubDomains$/,
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'SAMEORIGIN',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin'
        }
      },
      `${status} ${url}`
    )
})

t.test('web pages of the configured origins may call the API', async (t) => {
  const page = 'https://app.example.org'
  const { as } = await testApp(t, { CORS_ORIGINS: `${page},https://other.example.org` })
  const preflight = (caller: Caller, origin: string) =>
    caller.send({
      method: 'OPTIONS',
      url: `${orders}/order`,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization'
      }
    })
  const allowed = await preflight(as(), page)
  t.match(allowed, {
    status: 204,
    headers: { 'access-control-allow-origin': page, 'access-control-allow-methods': /PATCH/ }
  })
  const headers = String(allowed.headers['access-control-allow-headers']).split(', ')
  for (const name of ['authorization', 'if-match', 'if-none-match', 'last-event-id', 'idempotency-key'])
    t.ok(headers.includes(name), name)
  const foreign = 'https://evil.example'
  t.not((await preflight(as(), foreign)).headers['access-control-allow-origin'], foreign)
  const refused = await as().get(`${orders}/orders`, undefined, { origin: page })
  t.match(refused, {
    status: 401,
    headers: { 'access-control-allow-origin': page, 'access-control-expose-headers': /location/ }
  })
  t.match(refused.headers['access-control-expose-headers'], /\betag\b/)

  const withoutOrigins = await preflight(app.as(), page)
  t.equal(withoutOrigins.status, 405)
  t.notOk(withoutOrigins.headers['access-control-allow-origin'])
})
