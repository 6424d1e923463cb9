import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { json, outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

const app = await testApp(t, {}, undefined, {
  limits: { page: 3, orderLines: 3, query: 256 }
})
const w = await world(app)
const { clerk, nurse } = w
const addParty = (name: string) =>
  clerk.create(`${orders}/party`, { allowedRoles: ['BUYER'], name, organization: organization('region') })

t.test('every limit accepts its exact bound and refuses one more', async (t) => {
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
  const setName = (name: string) => patch([{ op: 'replace', path: '/name', value: name }])
  const get = (url: string): InjectOptions => ({ method: 'GET', url })
  /** The same body, padded with spaces to this many bytes. */
  const sized = (url: string, body: unknown, bytes: number): InjectOptions => ({
    method: 'POST',
    url,
    headers: json,
    payload: JSON.stringify(body).padEnd(bytes)
  })
  const items = `${catalogue}/catalogue-items`
  const item = {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'D',
    manufacturer: 'm',
    model: 'o'
  }

  interface Case {
    by?: Caller
    request: (size: number) => InjectOptions
    /** The largest size that is accepted, or refused for another reason only. */
    bound: number
    otherwise?: string
    /** The refusal of one more. */
    refusal: string
  }
  const cases: Record<string, Case> = {
    'a text': {
      request: (size) => draft({ name: text(size) }),
      bound: 4000,
      refusal: '400 invalid-body /name'
    },
    'characters outside the BMP': {
      request: (size) => draft({ name: text(size, '🩺') }),
      bound: 4000,
      refusal: '400 invalid-body /name'
    },
    'a text after a patch': {
      request: (size) => setName(text(size)),
      bound: 4000,
      refusal: '422 invalid-result /0/value'
    },
    'a code': {
      request: (size) => draft({ status: text(size) }),
      bound: 255,
      otherwise: '422 unknown-coding /status',
      refusal: '400 invalid-body /status'
    },
    'the code of a coding': {
      request: (size) => draft({ status: { system: 's', code: text(size) } }),
      bound: 255,
      otherwise: '422 unknown-coding /status',
      refusal: '400 invalid-body /status/code'
    },
    'the system of a coding': {
      request: (size) => draft({ status: { system: text(size), code: 'DRAFT' } }),
      bound: 2048,
      otherwise: '422 unknown-coding /status',
      refusal: '400 invalid-body /status/system'
    },
    'a note': {
      request: (size) => draft({ notes: [{ note: text(size) }] }),
      bound: 10_000,
      refusal: '400 invalid-body /notes/0/note'
    },
    notes: {
      request: (size) => draft({ notes: many(size, () => ({ note: 'n' })) }),
      bound: 1000,
      otherwise: '422 too-many-notes /notes',
      refusal: '400 invalid-body /notes'
    },
    identifiers: {
      request: (size) => draft({ identifiers: many(size, (at) => ({ system: 's', value: `${at}` })) }),
      bound: 1000,
      refusal: '400 invalid-body /identifiers'
    },
    'buyers of a contract': {
      by: clerk,
      request: (size) =>
        post(`${orders}/contract`, {
          name: 'C',
          validityPeriod: { start: '2026-01-01', end: '2026-12-31' },
          seller: w.seller,
          account: w.account,
          buyer: many(size, () => w.buyer)
        }),
      bound: 1000,
      otherwise: '422 duplicate-buyer /buyer/1',
      refusal: '400 invalid-body /buyer'
    },
    'a reference': {
      request: (size) => post(`${catalogue}/black-list`, { patient: reference(size), item: w.monitor }),
      bound: 2048,
      refusal: '400 invalid-body /patient'
    },
    operations: {
      request: (size) => patch(many(size, () => ({ op: 'test', path: '/priority', value: false }))),
      bound: 50,
      refusal: '400 invalid-body'
    },
    'a body': {
      request: (size) => sized(`${orders}/order`, w.draft(), size),
      bound: 1_048_576,
      refusal: '413 payload-too-large'
    },
    'a patch': {
      request: (size) => ({ ...sized(pathOf(order), [], size), method: 'PATCH' }),
      bound: 1_048_576,
      refusal: '413 payload-too-large'
    },
    items: {
      by: clerk,
      request: (size) => post(items, Array(size).fill(item)),
      bound: 5000,
      refusal: '400 invalid-body'
    },
    'a body of items': {
      by: clerk,
      request: (size) => sized(items, [item], size),
      bound: 10_485_760,
      refusal: '413 payload-too-large'
    },
    'a query': {
      request: (size) => get(`${orders}/orders?q=${text(size - 2, '+')}`),
      bound: 256,
      refusal: '414 query-too-long'
    },
    'a page': {
      by: clerk,
      request: (size) => get(`${orders}/parties?limit=${size}`),
      bound: 3,
      refusal: '400 invalid-query /limit'
    },
    'the smallest page': {
      by: clerk,
      request: (size) => get(`${orders}/parties?limit=${2 - size}`),
      bound: 1,
      refusal: '400 invalid-query /limit'
    }
  }
  for (const [what, { by = nurse, request, bound, otherwise = /^20/, refusal }] of Object.entries(cases)) {
    t.match(outcome(await by.send(request(bound))), otherwise, what)
    t.equal(outcome(await by.send(request(bound + 1))), refusal, `${what}: one more`)
  }
})

t.test('limits the lines of an order', async (t) => {
  const order = await w.createDraft()
  const lines = [await w.addLine(order), await w.addLine(order), await w.addLine(order)]
  const more = () => nurse.post(`${orders}/order-line`, { order, item: w.monitor, action: 'DELIVER' })
  t.equal(outcome(await more()), '422 too-many-lines /order')
  await nurse.patch(pathOf(lines[0] ?? ''), [{ op: 'replace', path: '/status', value: 'CANCELLED' }], 204)
  t.equal(outcome(await more()), '422 too-many-lines /order', 'a cancelled line counts')
  await nurse.delete(pathOf(lines[1] ?? ''), 204)
  t.equal(outcome(await more()), '201', 'a deleted line does not count')
  t.equal(outcome(await more()), '422 too-many-lines /order')
})

t.test('a page has the maximum length and the last page has no link', async (t) => {
  const lengths = async () => {
    const found: number[] = []
    for (let next: string | undefined = `${orders}/parties`; next; ) {
      const { body, headers } = await clerk.get(next, 200)
      found.push(body.length)
      const link = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]
      next = link && new URL(link).pathname + new URL(link).search
    }
    return found
  }
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
