import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { jsonHeader, outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { catalogue, deviceModel, orders, party, pathOf, replace, terms, world } from '../fixtures/world.js'

const app = await testApp(t, {}, undefined, {
  limits: { page: 3, orderLines: 3, query: 256 }
})
const w = await world(app)
const { clerk, nurse } = w
const addParty = (name: string) => clerk.create(`${orders}/party`, { ...party('region', 'BUYER'), name })

t.test('every limit accepts its exact bound and rejects one more', async (t) => {
  const order = await w.createDraft()
  const text = (length: number, character = 'x') => character.repeat(length)
  const many = <T>(length: number, each: (at: number) => T) => Array.from({ length }, (_, at) => each(at))
  const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
  const draft = (more: object) => post(`${orders}/order`, w.draft(more))
  const patch = (operations: unknown): InjectOptions => ({
    method: 'PATCH',
    url: pathOf(order),
    ...payloadOf(operations)
  })
  const setName = (name: string) => patch([replace('/name', name)])
  const get = (url: string): InjectOptions => ({ method: 'GET', url })
  /** The same body, padded with spaces to this many bytes. */
  const sized = (url: string, body: unknown, bytes: number): InjectOptions => ({
    method: 'POST',
    url,
    headers: jsonHeader,
    payload: JSON.stringify(body).padEnd(bytes)
  })
  const items = `${catalogue}/catalogue-items`
  const item = deviceModel(w.catalogue)

  interface Case {
    by: Caller
    request: (size: number) => InjectOptions
    /** The largest size that is accepted, or rejected only for another reason. */
    bound: number
    otherwise: string | RegExp
    /** The error for one more. */
    refusal: string
  }
  const limitOf =
    (by: Caller) =>
    (
      request: Case['request'],
      bound: number,
      refusal: string,
      otherwise: Case['otherwise'] = /^20/
    ): Case => ({
      ...{ by, request, bound, otherwise, refusal }
    })
  const [limit, limitOfClerk] = [limitOf(nurse), limitOf(clerk)]
  const cases: Record<string, Case> = {
    'a text': limit((size) => draft({ name: text(size) }), 4000, '400 invalid-body /name'),
    'characters outside the BMP': limit(
      (size) => draft({ name: text(size, '🩺') }),
      4000,
      '400 invalid-body /name'
    ),
    'a text after a patch': limit((size) => setName(text(size)), 4000, '422 invalid-result /0/value'),
    'a code': limit(
      (size) => draft({ status: text(size) }),
      255,
      '400 invalid-body /status',
      '422 unknown-coding /status'
    ),
    'the code of a coding': limit(
      (size) => draft({ status: { system: 's', code: text(size) } }),
      255,
      '400 invalid-body /status/code',
      '422 unknown-coding /status'
    ),
    'the system of a coding': limit(
      (size) => draft({ status: { system: text(size), code: 'DRAFT' } }),
      2048,
      '400 invalid-body /status/system',
      '422 unknown-coding /status'
    ),
    'a note': limit(
      (size) => draft({ notes: [{ note: text(size) }] }),
      10_000,
      '400 invalid-body /notes/0/note'
    ),
    notes: limit(
      (size) => draft({ notes: many(size, () => ({ note: 'n' })) }),
      1000,
      '400 invalid-body /notes',
      '422 too-many-notes /notes'
    ),
    identifiers: limit(
      (size) => draft({ identifiers: many(size, (at) => ({ system: 's', value: `${at}` })) }),
      1000,
      '400 invalid-body /identifiers'
    ),
    'buyers of a contract': limitOfClerk(
      (size) => post(`${orders}/contract`, terms(w.seller, w.account, ...many(size, () => w.buyer))),
      1000,
      '400 invalid-body /buyer',
      '422 duplicate-buyer /buyer/1'
    ),
    'a reference': limit(
      (size) => post(`${catalogue}/black-list`, { patient: reference(size), item: w.monitor }),
      2048,
      '400 invalid-body /patient'
    ),
    operations: limit(
      (size) => patch(many(size, () => ({ op: 'test', path: '/priority', value: false }))),
      50,
      '400 invalid-body'
    ),
    'a body': limit((size) => sized(`${orders}/order`, w.draft(), size), 1_048_576, '413 payload-too-large'),
    'a patch': limit(
      (size) => ({ ...sized(pathOf(order), [], size), method: 'PATCH' }),
      1_048_576,
      '413 payload-too-large'
    ),
    items: limitOfClerk((size) => post(items, Array(size).fill(item)), 5000, '400 invalid-body'),
    'a body of items': limitOfClerk(
      (size) => sized(items, [item], size),
      10_485_760,
      '413 payload-too-large'
    ),
    'a query': limit((size) => get(`${orders}/orders?q=${text(size - 2, '+')}`), 256, '414 query-too-long'),
    'a page': limitOfClerk((size) => get(`${orders}/parties?limit=${size}`), 3, '400 invalid-query /limit'),
    'the smallest page': limitOfClerk(
      (size) => get(`${orders}/parties?limit=${2 - size}`),
      1,
      '400 invalid-query /limit'
    )
  }
  for (const [what, { by, request, bound, otherwise, refusal }] of Object.entries(cases)) {
    t.match(outcome(await by.send(request(bound))), otherwise, what)
    t.equal(outcome(await by.send(request(bound + 1))), refusal, `${what}: one more`)
  }
})

t.test('limits the lines of an order', async (t) => {
  const order = await w.createDraft()
  const lines = [await w.addLine(order), await w.addLine(order), await w.addLine(order)]
  const more = () => nurse.post(`${orders}/order-line`, { order, item: w.monitor, action: 'DELIVER' })
  t.equal(outcome(await more()), '422 too-many-lines /order')
  await nurse.patch(pathOf(lines[0] ?? ''), [replace('/status', 'CANCELLED')], 204)
  t.equal(outcome(await more()), '422 too-many-lines /order', 'a cancelled line counts')
  await nurse.delete(pathOf(lines[1] ?? ''), 204)
  t.equal(outcome(await more()), '201', 'a deleted line does not count')
  t.equal(outcome(await more()), '422 too-many-lines /order')
})

t.test('a page has the maximum length and the last page has no link', async (t) => {
  const lengths = async () => (await pagesAt(clerk, `${orders}/parties`)).map(({ body }) => body.length)
  for (const name of ['one more', 'two more', 'three more']) {
    await addParty(name)
    const [{ count } = { count: 0 }] = await app.sql`select count(*)::int as count from parties`
    const pages = Math.ceil(count / 3)
    t.same(await lengths(), [...Array(pages - 1).fill(3), count - 3 * (pages - 1)], `${count} parties`)
  }
})

/** A patient URL with this many characters. */
function reference(length: number): string {
  const [begin, end] = ['https://fhir.example/', '/Patient/1']
  return `${begin}${'x'.repeat(length - begin.length - end.length)}${end}`
}
