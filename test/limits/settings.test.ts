import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { json, outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

const limits = {
  STRING_LIMIT: '40',
  NOTE_LIMIT: '50',
  REFERENCE_LIST_LIMIT: '3',
  PATCH_OPERATIONS: '4',
  PAGE_LIMIT: '3',
  SEARCH_WORD_LIMIT: '10000',
  BULK_ITEMS: '2',
  BODY_LIMIT: '4096',
  BULK_BODY_LIMIT: '5000',
  QUERY_LIMIT: '256'
}

t.test('every limit accepts its exact bound and refuses one more', async (t) => {
  const app = await testApp(t, limits)
  const w = await world(app)
  const { clerk, nurse } = w
  const text = (length: number, of = 'x') => of.repeat(length)
  const many = <T>(length: number, each: (at: number) => T) => Array.from({ length }, (_, at) => each(at))
  const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
  const patch = (operations: unknown): InjectOptions => ({
    ...{ method: 'PATCH', url: pathOf(order), ...payloadOf(operations) }
  })
  const get = (url: string): InjectOptions => ({ method: 'GET', url })
  /** The same body, padded with spaces to this many bytes. */
  const sized = (url: string, body: unknown, bytes: number): InjectOptions => ({
    ...{ method: 'POST', url, headers: json, payload: JSON.stringify(body).padEnd(bytes) }
  })

  const order = await w.createDraft()
  const third = await clerk.create(`${orders}/party`, {
    ...{ allowedRoles: ['BUYER'], name: 'third', organization: organization('third') }
  })
  const fourth = await clerk.create(`${orders}/party`, {
    ...{ allowedRoles: ['BUYER'], name: 'fourth', organization: organization('fourth') }
  })
  const draft = (more: object) => post(`${orders}/order`, w.draft(more))
  const identifier = (at: number) => ({ system: 's', value: `${at}` })
  const items = `${catalogue}/catalogue-items`
  const item = {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'D',
    manufacturer: 'm',
    model: 'o'
  }
  const buyers = [w.buyer, w.otherBuyer, third, fourth]
  const contract = (count: number) =>
    post(`${orders}/contract`, {
      ...{ name: 'C', validityPeriod: { start: '2026-01-01', end: '2026-12-31' } },
      ...{ seller: w.seller, account: w.account, buyer: buyers.slice(0, count) }
    })
  const named = (name: string) => [{ op: 'replace', path: '/name', value: name }]
  const query = (length: number) => get(`${orders}/orders?q=${text(length - 2)}`)

  const cases: [what: string, who: Caller, fits: InjectOptions, tooMuch: InjectOptions, refusal: string][] = [
    ['a text', nurse, draft({ name: text(40) }), draft({ name: text(41) }), '400 invalid-body /name'],
    [
      'characters outside the BMP',
      nurse,
      draft({ name: text(40, '🩺') }),
      draft({ name: text(41, '🩺') }),
      '400 invalid-body /name'
    ],
    [
      'a text after a patch',
      nurse,
      patch(named(text(40))),
      patch(named(text(41))),
      '422 invalid-result /name'
    ],
    [
      'a note',
      nurse,
      draft({ notes: [{ note: text(50) }] }),
      draft({ notes: [{ note: text(51) }] }),
      '400 invalid-body /notes/0/note'
    ],
    [
      'notes',
      nurse,
      draft({ notes: many(3, () => ({ note: 'n' })) }),
      draft({ notes: many(4, () => ({ note: 'n' })) }),
      '400 invalid-body /notes'
    ],
    [
      'identifiers',
      nurse,
      draft({ identifiers: many(3, identifier) }),
      draft({ identifiers: many(4, identifier) }),
      '400 invalid-body /identifiers'
    ],
    ['buyers of a contract', clerk, contract(3), contract(4), '400 invalid-body /buyer'],
    [
      'a reference',
      nurse,
      post(`${catalogue}/black-list`, { patient: reference(2048), item: w.monitor }),
      post(`${catalogue}/black-list`, { patient: reference(2049), item: w.monitor }),
      '400 invalid-body /patient'
    ],
    [
      'operations',
      nurse,
      patch(many(4, () => ({ op: 'test', path: '/priority', value: false }))),
      patch(many(5, () => ({ op: 'test', path: '/priority', value: false }))),
      '400 invalid-body'
    ],
    [
      'a body',
      nurse,
      sized(`${orders}/order`, w.draft(), 4096),
      sized(`${orders}/order`, w.draft(), 4097),
      '413 payload-too-large'
    ],
    ['items', clerk, post(items, [item, item]), post(items, [item, item, item]), '400 invalid-body'],
    [
      'a body of items',
      clerk,
      sized(items, [item], 5000),
      sized(items, [item], 5001),
      '413 payload-too-large'
    ],
    ['a query', nurse, query(256), query(257), '414 query-too-long'],
    [
      'a page',
      clerk,
      get(`${orders}/parties?limit=3`),
      get(`${orders}/parties?limit=4`),
      '400 invalid-query /limit'
    ],
    [
      'the smallest page',
      clerk,
      get(`${orders}/parties?limit=1`),
      get(`${orders}/parties?limit=0`),
      '400 invalid-query /limit'
    ]
  ]
  for (const [what, who, fits, tooMuch, refusal] of cases) {
    t.match(outcome(await who.send(fits)), /^20/, what)
    t.equal(outcome(await who.send(tooMuch)), refusal, `${what}: one more`)
  }

  t.test('limits the lines of an order', async (t) => {
    const order = await w.createDraft()
    const lines = [await w.addLine(order), await w.addLine(order), await w.addLine(order)]
    const more = () => nurse.post(`${orders}/order-line`, { order, item: w.monitor, action: 'DELIVER' })
    t.equal(outcome(await more()), '422 too-many-lines')
    await nurse.patch(pathOf(lines[0] ?? ''), [{ op: 'replace', path: '/status', value: 'CANCELLED' }], 204)
    t.equal(outcome(await more()), '422 too-many-lines', 'a cancelled line counts')
    await nurse.delete(pathOf(lines[1] ?? ''), 204)
    t.equal(outcome(await more()), '201', 'a deleted line does not count')
    t.equal(outcome(await more()), '422 too-many-lines')
  })

  t.test('limits the notes that patches add', async (t) => {
    const { order } = await w.submitted()
    const add = [{ op: 'add', path: '/notes/-', value: { note: 'n' } }]
    for (let at = 0; at < 3; at++) await nurse.patch(pathOf(order), add, 204)
    t.equal(outcome(await nurse.patch(pathOf(order), add)), '422 invalid-result /notes')
  })

  t.test('a page has the maximum length and the last page has no link', async (t) => {
    const page = async (url: string) => {
      const { body, headers } = await clerk.get(url, 200)
      const next = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]
      return { length: body.length, next: next && new URL(next).pathname + new URL(next).search }
    }
    const [{ n } = { n: 0 }] = await app.sql`select count(*)::int as n from parties`
    t.equal(n, 7)
    const first = await page(`${orders}/parties`)
    t.equal(first.length, 3)
    const second = await page(first.next ?? '')
    t.equal(second.length, 3)
    t.same(await page(second.next ?? ''), { length: 1, next: undefined })
    await app.sql`delete from parties where id = ${pathOf(fourth).split('/').at(-1) ?? ''} and name = 'fourth'`
    t.same(await page((await page(`${orders}/parties`)).next ?? ''), { length: 3, next: undefined })
  })
})

/** A patient URL with this many characters. */
function reference(length: number): string {
  const [begin, end] = ['https://fhir.example/', '/Patient/1']
  return `${begin}${'x'.repeat(length - begin.length - end.length)}${end}`
}
