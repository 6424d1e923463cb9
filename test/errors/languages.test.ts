import type { InjectOptions } from 'fastify'
import t from 'tap'
import { allProblems } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { payloadOf } from '../fixtures/routes/refusal.js'
import {
  add,
  catalogue,
  deviceModel,
  orders,
  organization,
  party,
  pathOf,
  patient,
  replace,
  terms,
  withQuery,
  world
} from '../fixtures/world.js'

const fixture = await testApp(t)
const { app } = fixture

const get = (url: string): InjectOptions => ({ method: 'GET', url })
const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
const put = (url: string, body: unknown): InjectOptions => ({ method: 'PUT', url, ...payloadOf(body) })

t.test('every problem has a page in Danish and English that says what it is and what to do', async (t) => {
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

t.test('a problem is in the language of the request', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const wrong = { ...w.draft(), priority: 'yes', receiver: { patient: patient('p1') } }
  const refused = async (language: string) => {
    const answer = await nurse.post(`${orders}/order`, wrong, 400, { 'accept-language': language })
    return { ...answer.body, language: answer.headers['content-language'], vary: answer.headers.vary }
  }
  t.match(await refused('da-DK, en;q=0.5'), {
    language: 'da',
    vary: /Accept-Language/,
    type: 'http://127.0.0.1:3000/problems/invalid-body',
    title: 'Indholdet passer ikke til skemaet',
    errors: [
      { pointer: '/priority', code: 'wrong-type', detail: 'Det skal være true eller false eller null.' },
      { pointer: '/receiver/name', code: 'required', detail: 'Det skal udfyldes.' }
    ]
  })
  t.match(await refused('fr'), {
    language: 'en',
    errors: [{ detail: 'It must be true or false or null.' }, { detail: 'It is required.' }]
  })
})

t.test('faults of a JSON Patch are found in the patch that was sent', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const order = await w.createDraft()
  const patch = [
    { op: 'test', path: '/priority', value: false },
    replace('/receiver', { name: 'R', patient: patient('p1'), phone: 7 }),
    add('/notes/-', { note: 7 })
  ]
  const { body } = await nurse.patch(pathOf(order), patch)
  t.match(body.errors, [
    { pointer: '/2/value/note', detail: /^\/notes\/0\/note: It must/ },
    { pointer: '/1/value/phone', detail: /^\/receiver\/phone: It must be a text/ }
  ])
})

t.test('an error names the expected system of a coding, and all codes for an unknown code', async (t) => {
  const { clerk, ...w } = await world(fixture)
  const item = (status: unknown) => deviceModel(w.catalogue, { status })
  const detailOf = async (status: unknown) => {
    const { body } = await clerk.post(`${catalogue}/catalogue-item`, item(status))
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

/**
 * Words that occur only in English texts. Names of codes, members and types are the same in both
 * languages.
 */
const english = /\b(the|must|cannot|not|and|with|which|only|one|its|body|query|too|many)\b/i

t.test('the texts of errors are in the language of the caller, and say what is allowed', async (t) => {
  const w = await world(fixture)
  type Sent = [caller: Caller, request: InjectOptions, detail?: string | RegExp]
  const by =
    (caller: Caller) =>
    (request: InjectOptions, detail?: string | RegExp): Sent => [caller, request, detail ?? /./]
  const [nurse, clerk, provider] = [by(w.nurse), by(w.clerk), by(w.provider)]
  const [draft, item] = [pathOf(await w.createDraft()), pathOf(w.monitor)]
  const [order, orderLine] = [`${orders}/order`, `${orders}/order-line`]
  const [items, upload] = [`${catalogue}/catalogue-items`, '/ssl-catalogue-excel/v1/catalogue']
  const contract = (start: number[], end: number[], more: object = {}) =>
    post(`${orders}/contract`, {
      ...terms(w.seller, w.account, w.buyer),
      validityPeriod: { start, end },
      ...more
    })
  const buyer = party('elsewhere', 'BUYER')
  const line = { item: w.buyer, action: 'FLY', status: 'FULFILLED', relatedTo: w.seller }
  const wrongParties = { buyer: w.seller, seller: w.buyer, status: 'SUBMITTED' }
  const device = deviceModel(w.catalogue)
  const annotation = {
    ...{ buyer: w.seller, catalogueItem: w.buyer, name: 'ehealth/device-type' },
    value: { system: 'urn:x', code: 'x' }
  }
  const body = (type: string, payload: string, url = order): InjectOptions => ({
    ...{ method: 'POST', url, payload, headers: { 'content-type': type } }
  })
  const text = (payload: string) => body('application/json', payload)
  const change = (...operations: object[]): InjectOptions => ({
    ...{ method: 'PATCH', url: draft },
    ...payloadOf(operations)
  })
  const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const basic = { authorization: 'Basic bmlscy5uaWVsc2VuOnNlY3JldA==' }
  const toField = /multipart\/form-data, in the field file/
  const isEmpty = /^The body is empty\. Send it as JSON/
  const noDay = /must be a date that exists, as yyyy-mm-dd/
  const cases: Sent[] = [
    nurse(post(order, {})),
    nurse(post(order, []), 'The body must be an object.'),
    nurse(
      { ...post(order, { status: 'SUBMITTED' }), method: 'PATCH', url: draft },
      'The body must be a JSON Patch (RFC 6902), which is an array of operations, such as [{"op":"replace","path":"/status/code","value":"SUBMITTED"}].'
    ),
    nurse(
      { ...post(order, [{ line: w.seller, patch: {} }]), method: 'PATCH', url: `${orders}/order-lines` },
      /^In the body: \/0\/patch must be a JSON Patch /
    ),
    nurse(body('text/plain', 'x')),
    nurse(text('{"a'), 'Send one well-formed JSON value.'),
    nurse({ method: 'DELETE', url: `${orders}/orders` }),
    nurse(
      get(`${orders}/nothing`),
      'The path does not exist. Check the path, or begin at http://127.0.0.1:3000/.'
    ),
    nurse(post(`${orders}/nothing`, {}), /^The path does not exist\./),
    nurse(get(`${order}/${crypto.randomUUID()}`), /^Check the URL\. /),
    nurse(get(`${order}/nothing`), /^The id is not a UUID in lower case\./),
    clerk(put(`${orders}/party`, { ...buyer, id: 'x' }), /^The id is not a UUID in lower case\./),
    nurse(
      { ...get(`${orders}/orders`), headers: basic },
      /^Send the token as Authorization: Bearer\. Other /
    ),
    nurse(get(`${orders}/orders?expand=all`)),
    nurse(get(`${orders}/orders?after=x`)),
    nurse(get(`${orders}/orders?q=a&q=b`), 'Query parameter q must be sent only once.'),
    nurse(get(`${orders}/orders?limit=1&limit=2`), 'Query parameter limit must be sent only once.'),
    nurse(get(`${orders}/orders?updatedSince=2026-02-30`), noDay),
    ...[`${orders}/orders?updatedSince`, `${orders}/order-lines?agreedTo`, `${orders}/audit-events?from`].map(
      (query) => nurse(get(`${query}=2026-11-28T10:00:00+01:00`), /: write %2B for \+, such as 2026-11-21T/)
    ),
    nurse(
      get(`${orders}/events?types=nope`),
      /^Query parameter types must be one or more of order\.created, /
    ),
    nurse({ method: 'POST', url: order }, isEmpty),
    nurse(text(''), isEmpty),
    nurse(text('{"__proto__":1}'), /member __proto__ .* Leave the member out/),
    nurse(
      text(`{"name":${'['.repeat(65)}${']'.repeat(65)}}`),
      /nested too deeply\. It may have at most 64 levels/
    ),
    nurse(text(JSON.stringify(Array(20_001).fill(1))), /too many values\. It may have at most 20000 members/),
    nurse(text(' '.repeat(1_048_577)), 'The body may have at most 1048576 bytes. Send less at a time.'),
    clerk(body('text/csv', 'x', upload), toField),
    clerk(body(workbook, 'PK', upload), toField),
    clerk({ method: 'POST', url: upload, payload: 'PK' }, toField),
    nurse(post(order, { ...w.draft(), earliestDeliveryDate: '2026-02-30' }), noDay),
    nurse(
      post(order, { ...w.draft(), name: 'ﷺ'.repeat(1000) }),
      'In the body: /name must have 4000 characters or fewer, also after normalization (Unicode NFKD).'
    ),
    nurse(
      post(order, { ...w.draft(), colour: 'x' }),
      /^In the body: \/colour is not a known field\. The body can have the members id, .*, receiver\b[^.]*\.$/
    ),
    nurse(
      post(order, { ...w.draft(), receiver: { name: 'n', patient: patient('p1'), colour: 'x' } }),
      /\/receiver can have the members name, addressLine1, (?!.*(clinicalRef|addressLine 1)).*\.$/
    ),
    nurse(
      change(add('/notes/-', { note: 'x', colour: 'x' })),
      /\/notes\/0\/colour is not a known field\. \/notes\/0 can have the members /
    ),
    clerk(
      post(`${catalogue}/catalogue-item`, { ...device, colour: 'x' }),
      /\/colour is not a known field\. The body can have the members [^.]*\bmanufacturer\b[^.]*\.$/
    ),
    nurse(
      change(replace('/status/display', 'x')),
      /^\/status\/display: .* follow from its code\. Change \/status or \/status\/code instead\.$/
    ),
    clerk(put(pathOf(w.seller), { ...buyer, organization: organization('provider') })),
    nurse(
      get(`${orders}/orders?createdFrom=yesterday`),
      /^Query parameter createdFrom is unknown\. This URL has the query parameters buyer, .*, limit/
    ),
    nurse(
      post(`${order}?x=1`, w.draft()),
      /^Query parameter x is unknown\. This URL has no query parameters\.$/
    ),
    nurse(get(`${orders}/orders?patient=x&buyer=x&status=x&limit=0`)),
    nurse(get(`${items}?annotation=a&q=${'a+'.repeat(20)}b`)),
    nurse(get(`${catalogue}/black-lists`), 'Query parameter patient is required.'),
    provider(get(withQuery(items, { patient: patient('p') }))),
    provider(get(withQuery(items, { buyer: w.buyer }))),
    provider(post(order, w.draft())),
    nurse(change(replace('/nothing', 1))),
    nurse(
      change({ op: 'test', path: '/priority', value: 7 }),
      'Operation 0 (test) found a different value at /priority.'
    ),
    nurse(change(replace('/created', 'x'))),
    nurse(change(replace('/name', 7))),
    nurse(change(replace('/status', 'FULFILLED'))),
    nurse(change(replace('/status', 'SUBMITTED'))),
    nurse(change(add('/statusReason', { code: 'OTHER' }))),
    nurse(change(add('/awaiting', 'SELLER'))),
    nurse(change(add('/awaiting', 'BUYER'))),
    nurse(change(add('/earliestDeliveryDate', '2026-12-24'), add('/latestDeliveryDate', '2026-12-01'))),
    nurse(get(`${orders}/order-lines?sort=agreedFrom`)),
    nurse(get(`${orders}/trace-lines`), 'Query parameter order is missing: send order or orderLine.'),
    nurse(post(`${orders}/orderability`, { buyer: w.seller, patient: 'x', items: [] })),
    nurse(post(order, { ...w.draft(), ...wrongParties, orderLines: [line] })),
    nurse(post(orderLine, { ...line, order: w.seller })),
    clerk(post(`${orders}/party`, buyer)),
    clerk(post(`${orders}/party`, { ...buyer, allowedRoles: ['KING'] })),
    clerk(contract([2026, 2, 31], [2026, 1, 1])),
    clerk(contract([2026, 2, 1], [2026, 1, 1])),
    clerk(contract([2026, 1, 1], [2026, 2, 1], { buyer: [w.buyer, w.buyer], seller: w.buyer })),
    clerk(post(`${catalogue}/catalogue-item`, { ...device, status: 'SOLD', catalogue: w.monitor })),
    clerk(post(`${catalogue}/catalogue-item`, { ...device, relatedTo: w.catalogue })),
    clerk(put(item, { ...device, catalogueItemType: 'Service', serviceType: 'x' })),
    clerk(post(`${catalogue}/white-list`, { buyer: w.buyer, item: w.monitor })),
    clerk(post(`${catalogue}/annotation`, annotation)),
    nurse(post(`${catalogue}/black-list`, { patient: 'x', item: w.buyer })),
    nurse(post(`${orders}/subscription`, { target: 'http://localhost' })),
    by(fixture.as('Provider'))(get(`${orders}/orders`)),
    by(fixture.as())(get(`${orders}/orders`))
  ]
  for (const [caller, request, detail = ''] of cases) {
    const what = `${request.method} ${request.url} ${String(request.payload).slice(0, 200)}`
    const textsIn = async (language: string) => {
      const headers = { ...request.headers, 'accept-language': language }
      const { status, body } = await caller.send({ ...request, headers })
      t.ok(status >= 400, what)
      return [body.title, body.detail, ...(body.errors ?? []).map((each: { detail: string }) => each.detail)]
    }
    const [da, en] = [await textsIn('da'), await textsIn('en')]
    t.match(en[1], detail, what)
    for (const [at, text] of da.entries()) {
      t.not(text, en[at], what)
      t.notMatch(text, english, what)
      t.notMatch(en[at], /[æøå]|\b(skal|ikke|er)\b/i, what)
    }
  }
  const missing = await w.nurse.get(`${catalogue}/black-lists`, 400)
  t.match(missing.body.errors, [{ pointer: '/patient', code: 'required' }])
})

t.test('the reasons why an item cannot be ordered are in the language of the request', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const reasonIn = async (language: string) => {
    const asked = { buyer: w.buyer, patient: patient('p1'), items: [w.buyer] }
    const { body } = await nurse.post(`${orders}/orderability`, asked, 200, { 'accept-language': language })
    return body[0].reasons[0].detail
  }
  t.match(await reasonIn('da'), /^Det skal være adressen på en vare i et katalog: /)
  t.match(await reasonIn('en'), /^It must be the URL of a catalogue item: /)
})
