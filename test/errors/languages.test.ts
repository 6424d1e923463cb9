import type { InjectOptions } from 'fastify'
import t from 'tap'
import { allProblems } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { payloadOf } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, patient, world } from '../fixtures/world.js'

const fixture = await testApp(t)
const { app } = fixture

t.test('every problem has a page that tells in Danish and English what it is and what to do', async (t) => {
  for (const [code, { status, title, remedy }] of Object.entries(allProblems)) {
    t.not(title.da, title.en, code)
    t.match(title, { en: /^[A-Z].*[^.]$/, da: /^[A-ZÆØÅ].*[^.]$/ }, code)
    t.match(remedy, { en: /^[A-Z`].*\.$/, da: /^[A-ZÆØÅ`].*\.$/ }, code)
    for (const language of ['en', 'da'] as const) {
      const headers = { 'accept-language': language }
      const answer = await app.inject({ url: `/problems/${code}`, headers })
      const base = `http://127.0.0.1:3000/problems/${code}`
      t.same(
        answer.json(),
        { type: base, code, status, title: title[language], remedy: remedy[language] },
        code
      )
      t.equal(answer.headers['content-language'], language)
    }
  }
  const page = await app.inject({
    url: '/problems/not-deletable',
    headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': 'da' }
  })
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', vary: /Accept, Accept-Language/ })
  t.match(page.body, /<html lang="da">[\s\S]*Annullér/)
  t.match((await app.inject('/problems/nothing')).json(), { status: 404, code: 'not-found' })
  t.match((await app.inject('/problems/constructor')).json(), { status: 404 })
})

t.test('a problem is told in the language of the request', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const wrong = { ...w.draft(), priority: 'yes', receiver: { patient: patient('p1') } }
  const refused = async (language: string) => {
    const answer = await nurse.send({
      method: 'POST',
      url: `${orders}/order`,
      payload: JSON.stringify(wrong),
      headers: { 'accept-language': language, 'content-type': 'application/json' }
    })
    return { ...answer.body, language: answer.headers['content-language'], vary: answer.headers.vary }
  }
  t.match(await refused('da-DK, en;q=0.5'), {
    language: 'da',
    vary: /Accept-Language/,
    type: 'http://127.0.0.1:3000/problems/invalid-body',
    title: 'Kroppen passer ikke til sit skema',
    errors: [
      { pointer: '/priority', code: 'wrong-type', detail: 'Det skal være true eller false eller null.' },
      { pointer: '/receiver/name', code: 'required', detail: 'Det skal udfyldes.' }
    ]
  })
  t.match(await refused('fr'), {
    language: 'en',
    errors: [{ detail: 'It must be true or false or null.' }, { detail: 'It is required.' }]
  })
  const lists = await nurse.get(`${orders}/orders?limit=0&priority=perhaps&more=1`)
  t.same(
    lists.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
    ['/limit', '/more', '/priority'],
    'all faults of a query'
  )
})

t.test('faults of a JSON Patch are found in the patch that was sent', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const order = await w.createDraft()
  const patch = [
    { op: 'test', path: '/priority', value: false },
    { op: 'replace', path: '/receiver', value: { name: 'R', patient: patient('p1'), phone: 7 } },
    { op: 'add', path: '/notes/-', value: { note: 7 } }
  ]
  const { body } = await nurse.patch(new URL(order).pathname, patch)
  t.match(body.errors, [
    { pointer: '/2/value/note', detail: /^\/notes\/0\/note: It must/ },
    { pointer: '/1/value/phone', detail: /^\/receiver\/phone: It must be a text/ }
  ])
})

t.test('all wrong filters of a list are told at once', async (t) => {
  const { nurse } = await world(fixture)
  const { status, body } = await nurse.get(
    `${catalogue}/catalogue-items?status=SOLD&annotation=a&seller=x&serviceType=none`
  )
  t.equal(status, 400)
  t.same(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
    '/annotation',
    '/seller',
    '/serviceType',
    '/status'
  ])
})

t.test('a coding of another system is told its system, another code all codes', async (t) => {
  const { clerk, ...w } = await world(fixture)
  const item = (status: unknown) => ({
    ...{ catalogueItemType: 'DeviceModel', catalogue: w.catalogue, name: 'N', manufacturer: 'M', model: 'M' },
    status
  })
  const detailOf = async (status: unknown) => {
    const url = `${catalogue}/catalogue-item`
    const { body } = await clerk.send({ method: 'POST', url, ...payloadOf(item(status)) })
    return body.errors[0]
  }
  t.match(await detailOf({ system: 'urn:x', code: 'AVAILABLE' }), {
    code: 'unknown-coding',
    detail: /^It must have the system https:\S+\/catalogue-item-status\.$/
  })
  t.match(await detailOf({ system: 'urn:x', code: 'SOLD' }), {
    detail:
      /^It must be one of AVAILABLE \(Available\), .*, of the value set https:\S+\/catalogue-item-status\.$/
  })
  const list = await clerk.get(`${catalogue}/catalogue-items?status=SOLD`, 400)
  t.match(list.body.detail, /must be one of AVAILABLE \(Available\), .*, of the value set https:\S+\.$/)
})

t.test('a text names what is wrong and what is allowed', async (t) => {
  const w = await world(fixture)
  const { nurse, clerk } = w
  const order = new URL(await w.createDraft()).pathname
  const url = `${orders}/order`
  const typed = { 'content-type': 'application/json' }
  const workbook = { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }
  const upload = '/ssl-catalogue-excel/v1/catalogue'
  const nested = `{"name":${'['.repeat(65)}${']'.repeat(65)}}`
  const cases: [Caller, InjectOptions, detail: string | RegExp][] = [
    [nurse, { method: 'GET', url: `${url}s?q=a&q=b` }, 'Query parameter q must be sent only once.'],
    [
      nurse,
      { method: 'GET', url: `${url}s?limit=1&limit=2` },
      'Query parameter limit must be sent only once.'
    ],
    [
      nurse,
      { method: 'GET', url: `${url}s?updatedSince=2026-02-30` },
      /must be a date that exists, as yyyy-mm-dd/
    ],
    [nurse, { method: 'GET', url: `${catalogue}/black-lists` }, 'Query parameter patient is required.'],
    [
      nurse,
      { method: 'GET', url: `${orders}/events?types=nope` },
      /^Query parameter types must be one or more of order\.created, /
    ],
    [nurse, { method: 'POST', url }, /^The body is empty\. Send it as JSON/],
    [nurse, { method: 'POST', url, headers: typed, payload: '' }, /^The body is empty\. Send it as JSON/],
    [nurse, { method: 'POST', url, headers: typed, payload: '[]' }, 'The body must be an object.'],
    [nurse, { method: 'POST', url, headers: typed, payload: 'null' }, 'The body must be an object.'],
    [nurse, { method: 'PATCH', url: order, headers: typed, payload: '{}' }, 'The body must be an array.'],
    [
      nurse,
      { method: 'POST', url, headers: typed, payload: '{"__proto__":1}' },
      /member __proto__ .* Leave it out/
    ],
    [nurse, { method: 'POST', url, headers: typed, payload: '{"a' }, 'Send one well-formed JSON value.'],
    [
      nurse,
      { method: 'POST', url, headers: typed, payload: nested },
      /nested too deep\. It may have at most 64 levels/
    ],
    [
      nurse,
      { method: 'POST', url, headers: typed, payload: `[${'1,'.repeat(20_000)}1]` },
      /too many values\. It may have at most 20000 members/
    ],
    [
      nurse,
      { method: 'POST', url, headers: typed, payload: ' '.repeat(1_048_577) },
      'The body may have at most 1048576 bytes. Send less at a time.'
    ],
    [
      clerk,
      { method: 'POST', url: upload, headers: workbook, payload: 'PK' },
      /multipart\/form-data, in the field file/
    ],
    [clerk, { method: 'POST', url: upload, payload: 'PK' }, /multipart\/form-data, in the field file/],
    [
      nurse,
      { method: 'POST', url, ...payloadOf({ ...w.draft(), earliestDeliveryDate: '2026-02-30' }) },
      /earliestDeliveryDate must be a date that exists, as yyyy-mm-dd/
    ],
    [
      nurse,
      { method: 'PATCH', url: order, ...payloadOf([{ op: 'replace', path: '/status/display', value: 'x' }]) },
      /^\/status\/display: .* follow from its code\. Change \/status or \/status\/code instead\.$/
    ],
    [
      nurse,
      { method: 'POST', url, ...payloadOf({ ...w.draft(), name: 'ﷺ'.repeat(1000) }) },
      'In the body: /name must have 4000 characters or fewer, also after normalization (Unicode NFKD).'
    ],
    [
      nurse,
      { method: 'PATCH', url: order, ...payloadOf([{ op: 'test', path: '/priority', value: 7 }]) },
      'Operation 0 (test) found a different value at /priority.'
    ],
    [
      nurse,
      { method: 'GET', url: `${url}s`, headers: { authorization: 'Basic bmlscy5uaWVsc2VuOnNlY3JldA==' } },
      /^Send the token as Authorization: Bearer\. Other schemes, such as Basic, are not accepted\.$/
    ]
  ]
  for (const [caller, request, detail] of cases) {
    const { body } = await caller.send(request)
    t.match(body.detail, detail, `${request.method} ${request.url} ${String(request.payload).slice(0, 60)}`)
  }
  const missing = await nurse.get(`${catalogue}/black-lists`, 400)
  t.match(missing.body.errors, [{ pointer: '/patient', code: 'required' }])
})

/** Words of English texts that no Danish one has. Names of codes, members and types stay. */
const english = /\b(the|must|cannot|not|and|with|which|only|one|its|body|query|too|many)\b/i

t.test('every text of a wrong request is in Danish', async (t) => {
  const w = await world(fixture)
  const { nurse, clerk, provider } = w
  const order = await w.createDraft()
  const [draft, item] = [new URL(order).pathname, new URL(w.monitor).pathname]
  const period = (start: number[], end: number[]) => ({ validityPeriod: { start, end } })
  const contract = { name: 'C', seller: w.seller, account: w.account, buyer: [w.buyer] }
  const party = { name: 'P', organization: organization('elsewhere'), allowedRoles: ['BUYER'] }
  const wrongLine = {
    order: w.seller,
    item: w.buyer,
    action: 'FLY',
    status: 'FULFILLED',
    relatedTo: w.seller
  }
  const { order: _, ...line } = wrongLine
  const wrongOrder = {
    ...w.draft(),
    buyer: w.seller,
    seller: w.buyer,
    status: 'SUBMITTED',
    orderLines: [line]
  }
  const device = {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'N',
    manufacturer: 'M',
    model: 'M'
  }
  const json = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown): InjectOptions => ({
    method,
    url,
    ...payloadOf(body)
  })
  const get = (url: string): InjectOptions => ({ method: 'GET', url })
  const text = (payload: string): InjectOptions => ({
    method: 'POST',
    url: `${orders}/order`,
    headers: { 'content-type': 'application/json' },
    payload
  })
  const wrong: [Caller, InjectOptions][] = [
    [nurse, json('POST', `${orders}/order`, {})],
    [nurse, json('POST', `${orders}/order`, [])],
    [
      nurse,
      { method: 'POST', url: `${orders}/order`, headers: { 'content-type': 'text/plain' }, payload: 'x' }
    ],
    [
      nurse,
      {
        method: 'POST',
        url: `${orders}/order`,
        headers: { 'content-type': 'application/json' },
        payload: '{'
      }
    ],
    [nurse, { method: 'DELETE', url: `${orders}/orders` }],
    [nurse, get(`${orders}/nothing`)],
    [nurse, get(`${orders}/order/${crypto.randomUUID()}`)],
    [nurse, get(`${orders}/orders?expand=all`)],
    [nurse, get(`${orders}/orders?after=x`)],
    [nurse, get(`${orders}/orders?q=a&q=b`)],
    [nurse, get(`${orders}/events?types=nope`)],
    [nurse, { method: 'POST', url: `${orders}/order` }],
    [nurse, text(`{"__proto__":1}`)],
    [nurse, text('['.repeat(100))],
    [nurse, text(JSON.stringify(Array(20_001).fill(1)))],
    [nurse, text(`"${'x'.repeat(1_100_000)}"`)],
    [nurse, json('POST', `${orders}/order`, { ...w.draft(), earliestDeliveryDate: '2026-02-30' })],
    [
      clerk,
      { ...text('x'), url: '/ssl-catalogue-excel/v1/catalogue', headers: { 'content-type': 'text/csv' } }
    ],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/status/display', value: 'x' }])],
    [clerk, json('PUT', new URL(w.seller).pathname, { ...party, organization: organization('provider') })],
    [nurse, get(`${orders}/orders?createdFrom=yesterday`)],
    [nurse, get(`${orders}/orders?patient=x&buyer=x&status=x&limit=0`)],
    [nurse, get(`${catalogue}/catalogue-items?annotation=a&q=${'a+'.repeat(20)}b`)],
    [nurse, get(`${catalogue}/black-lists`)],
    [provider, get(`${catalogue}/catalogue-items?patient=${encodeURIComponent(patient('p'))}`)],
    [provider, get(`${catalogue}/catalogue-items?buyer=${encodeURIComponent(w.buyer)}`)],
    [provider, json('POST', `${orders}/order`, w.draft())],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/nothing', value: 1 }])],
    [nurse, json('PATCH', draft, [{ op: 'test', path: '/priority', value: 'no' }])],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/created', value: 'x' }])],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/name', value: 7 }])],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/status', value: 'FULFILLED' }])],
    [nurse, json('PATCH', draft, [{ op: 'replace', path: '/status', value: 'SUBMITTED' }])],
    [nurse, json('PATCH', draft, [{ op: 'add', path: '/statusReason', value: { code: 'OTHER' } }])],
    [nurse, json('PATCH', draft, [{ op: 'add', path: '/awaiting', value: 'SELLER' }])],
    [nurse, json('PATCH', draft, [{ op: 'add', path: '/awaiting', value: 'BUYER' }])],
    [
      nurse,
      json('PATCH', draft, [
        { op: 'add', path: '/earliestDeliveryDate', value: '2026-12-24' },
        { op: 'add', path: '/latestDeliveryDate', value: '2026-12-01' }
      ])
    ],
    [nurse, get(`${orders}/order-lines?sort=agreedFrom`)],
    [nurse, get(`${orders}/trace-lines`)],
    [nurse, json('POST', `${orders}/orderability`, { buyer: w.seller, patient: 'x', items: [] })],
    [nurse, json('POST', `${orders}/order`, wrongOrder)],
    [nurse, json('POST', `${orders}/order-line`, wrongLine)],
    [clerk, json('POST', `${orders}/party`, party)],
    [clerk, json('POST', `${orders}/party`, { ...party, allowedRoles: ['KING'] })],
    [clerk, json('POST', `${orders}/contract`, { ...contract, ...period([2026, 2, 31], [2026, 1, 1]) })],
    [clerk, json('POST', `${orders}/contract`, { ...contract, ...period([2026, 2, 1], [2026, 1, 1]) })],
    [
      clerk,
      json('POST', `${orders}/contract`, {
        ...contract,
        buyer: [w.buyer, w.buyer],
        seller: w.buyer,
        ...period([2026, 1, 1], [2026, 2, 1])
      })
    ],
    [clerk, json('POST', `${catalogue}/catalogue-item`, { ...device, status: 'SOLD', catalogue: w.monitor })],
    [clerk, json('POST', `${catalogue}/catalogue-item`, { ...device, relatedTo: w.catalogue })],
    [clerk, json('PUT', item, { ...device, catalogueItemType: 'Service', serviceType: 'x' })],
    [clerk, json('POST', `${catalogue}/white-list`, { buyer: w.buyer, item: w.monitor })],
    [
      clerk,
      json('POST', `${catalogue}/annotation`, {
        buyer: w.seller,
        catalogueItem: w.buyer,
        name: 'ehealth/device-type',
        value: { system: 'urn:x', code: 'x' }
      })
    ],
    [nurse, json('POST', `${catalogue}/black-list`, { patient: 'x', item: w.buyer })],
    [nurse, json('POST', `${orders}/subscription`, { target: 'http://localhost' })],
    [fixture.as('Provider'), get(`${orders}/orders`)],
    [fixture.as(undefined), get(`${orders}/orders`)]
  ]
  for (const [caller, request] of wrong) {
    const what = `${request.method} ${request.url} ${request.payload ?? ''}`
    const answerIn = async (language: string) => {
      const { status, body } = await caller.send({
        ...request,
        headers: { ...request.headers, 'accept-language': language }
      })
      t.ok(status >= 400, what)
      return [body.title, body.detail, ...(body.errors ?? []).map((each: { detail: string }) => each.detail)]
    }
    const [da, en] = [await answerIn('da'), await answerIn('en')]
    for (const [at, text] of da.entries()) {
      t.not(text, en[at], what)
      t.notMatch(text, english, what)
      t.notMatch(en[at], /[æøå]|\b(skal|ikke|er)\b/i, what)
    }
  }
})

t.test('a new order, or line of an order, is told all of its faults at once', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const pointersOf = async (path: string, sent: object) => {
    const { body } = await nurse.send({ method: 'POST', url: `${orders}${path}`, ...payloadOf(sent) })
    return body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
  }
  const line = { item: w.buyer, action: 'FLY', status: 'FULFILLED' }
  t.same(await pointersOf('/order-line', { ...line, order: w.seller }), [
    '/action',
    '/item',
    '/order',
    '/status'
  ])
  t.same(
    await pointersOf('/order', { ...w.draft(), buyer: w.seller, status: 'SUBMITTED', orderLines: [line] }),
    ['/buyer', ...['action', 'item', 'status'].map((name) => `/orderLines/0/${name}`), '/status']
  )
})

t.test('the reasons why an item cannot be ordered are in the language of the request', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const reasonIn = async (language: string) => {
    const { body } = await nurse.send({
      method: 'POST',
      url: `${orders}/orderability`,
      payload: JSON.stringify({ buyer: w.buyer, patient: patient('p1'), items: [w.buyer] }),
      headers: { 'accept-language': language, 'content-type': 'application/json' }
    })
    return body[0].reasons[0].detail
  }
  t.equal(await reasonIn('da'), 'Der er ingen sådan vare.')
  t.equal(await reasonIn('en'), 'There is no such catalogue item.')
})
