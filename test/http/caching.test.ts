import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, orders, pathOf, patient, world } from '../fixtures/world.js'

t.test('caches', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, submitted, monitor, catalogue: list, buyer } = await world(app)
  const { order, lines } = await submitted()
  const items = `${catalogue}/catalogue-items?buyer=${encodeURIComponent(buyer)}`

  t.test('responses about patients are not cached', async (t) => {
    const about = encodeURIComponent(patient('p1'))
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
    const { link = '' } = (await nurse.get(`${items}&patient=${about}&limit=1`, 200)).headers
    const next = new URL(/<([^>]+)>/.exec(link)?.[1] ?? '')
    const { headers } = await nurse.get(next.pathname + next.search, 200)
    t.equal(headers['cache-control'], 'no-store', 'nor a page with a cursor of the patient')
  })

  t.test('catalogues are revalidated and sent only when changed', async (t) => {
    for (const url of [pathOf(list), pathOf(monitor), items]) {
      const first = await nurse.get(url, 200)
      t.match(first.headers, { 'cache-control': 'private, no-cache', etag: /^(W\/)?".+"$/ }, url)
      const headers = { 'if-none-match': first.headers.etag ?? '' }
      t.match(await nurse.send({ method: 'GET', url, headers }), { status: 304, body: undefined }, url)
    }
    const { headers } = await nurse.get(pathOf(monitor), 200)
    for (const known of [`"other", W/${headers.etag}`, '*'])
      t.equal(
        (await nurse.send({ method: 'GET', url: pathOf(monitor), headers: { 'if-none-match': known } }))
          .status,
        304,
        known
      )
    const ofPatient = await nurse.get(`${items}&patient=${encodeURIComponent(patient('p1'))}`, 200)
    t.match(
      ofPatient.headers,
      { 'cache-control': 'no-store', etag: /^"0\./ },
      'patient data has a tag and is not cached'
    )
    const { body } = await clerk.get(pathOf(monitor), 200)
    await clerk.put(pathOf(monitor), { ...body, name: 'Changed' }, 204)
    const again = await nurse.send({
      method: 'GET',
      url: pathOf(monitor),
      headers: { 'if-none-match': headers.etag ?? '' }
    })
    t.match(again, { status: 200, body: { name: 'Changed' } })
  })

  t.test('only successful reads respond with 304', async (t) => {
    const headers = (tag = '') => ({ 'x-request-id': 'same', 'if-none-match': tag })
    const unknown = `${pathOf(list).slice(0, -36)}01a1fd78-8070-733a-b409-86d8293d59aa`
    const cases: [
      who: typeof nurse,
      request: { method: 'GET' | 'POST'; url: string; payload?: object },
      status: number
    ][] = [
      [clerk, { method: 'POST', url: `${catalogue}/catalogue-items`, payload: [] }, 201],
      [clerk, { method: 'POST', url: `${catalogue}/catalogue`, payload: {} }, 400],
      [clerk, { method: 'GET', url: unknown }, 404],
      [clerk, { method: 'GET', url: `${catalogue}/black-lists` }, 403],
      [clerk, { method: 'GET', url: `${catalogue}/catalogues?x=1` }, 400]
    ]
    for (const [who, sent, status] of cases) {
      const first = await who.send({ ...sent, headers: headers() })
      t.equal(
        (await who.send({ ...sent, headers: headers(first.headers.etag ?? '*') })).status,
        status,
        JSON.stringify(sent)
      )
    }
  })
})

t.test('keeps a plain request id of the caller, else makes one', async (t) => {
  const { as } = await testApp(t)
  const ask = (id: string) => as().send({ method: 'GET', url: '/nowhere', headers: { 'x-request-id': id } })
  const given = await ask('trace-42.a:b_C')
  t.equal(given.headers['x-request-id'], 'trace-42.a:b_C')
  t.equal(given.body.instance, 'trace-42.a:b_C')
  for (const id of ['', 'a b', '<script>', 'x'.repeat(101)])
    t.match((await ask(id)).headers['x-request-id'], /^[\da-f-]{36}$/)
})

t.test('every response has security headers', async (t) => {
  const app = await testApp(t)
  const { nurse } = await world(app)
  const cases = [
    [200, 'GET', `${orders}/orders`, nurse],
    [200, 'GET', '/health/live', app.as()],
    [401, 'GET', `${orders}/orders`, app.as()],
    [404, 'GET', '/nowhere', app.as()],
    [405, 'PUT', `${orders}/orders`, app.as()],
    [400, 'GET', `${orders}/orders?q=%00`, nurse]
  ] as const
  for (const [status, method, url, caller] of cases)
    t.match(
      await caller.send({ method, url }),
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

t.test('web pages have a content security policy', async (t) => {
  const page = 'https://app.example.org'
  const { as } = await testApp(t, { CORS_ORIGINS: `${page},https://other.example.org` })
  const preflight = (origin: string) =>
    as().send({
      method: 'OPTIONS',
      url: `${orders}/order`,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization'
      }
    })
  t.match(await preflight(page), {
    status: 204,
    headers: {
      'access-control-allow-origin': page,
      'access-control-allow-methods': /PATCH/,
      'access-control-allow-headers': /authorization/
    }
  })
  t.not(
    (await preflight('https://evil.example')).headers['access-control-allow-origin'],
    'https://evil.example'
  )
  const refused = await as().send({ method: 'GET', url: `${orders}/orders`, headers: { origin: page } })
  t.match(refused, {
    status: 401,
    headers: { 'access-control-allow-origin': page, 'access-control-expose-headers': /location/ }
  })

  const closed = await testApp(t)
  const response = await closed
    .as()
    .send({ method: 'OPTIONS', url: `${orders}/order`, headers: { origin: page } })
  t.match(response, { status: 405 })
  t.notOk(response.headers['access-control-allow-origin'])
})

t.test('all errors of a body are reported at once', async (t) => {
  const app = await testApp(t)
  const { nurse, clerk, draft } = await world(app)
  const { body } = await nurse.post(
    `${orders}/order`,
    { ...draft({ receiver: { name: 7, colour: 'red' } }), priority: 'yes', seller: undefined, notes: [{}] },
    400
  )
  t.same(body.errors.map((each: { pointer: string }) => each.pointer).sort(), [
    '/notes/0/note',
    '/priority',
    '/receiver/colour',
    '/receiver/name',
    '/seller'
  ])
  const rules = await clerk.post(`${orders}/contract`, {
    name: 'C',
    validityPeriod: { start: [2026, 2, 30], end: [2026, 1, 1] },
    seller: 'https://elsewhere.example/party/1',
    account: 'nothing',
    buyer: ['nobody']
  })
  t.match(rules, { status: 422, body: { code: 'invalid-period' } })
  t.same(
    rules.body.errors.map((each: { pointer: string }) => each.pointer),
    ['/validityPeriod/start', '/seller', '/buyer/0', '/account']
  )
})
