import t, { type Test } from 'tap'
import { ERASURE_LOCK } from '../../src/order/store/time-of-change.js'
import { ofOneServer, testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { countWaiting } from '../fixtures/distributed.js'
import { moveTo, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

type Query = Record<string, string>

const list = (caller: Caller, query: Query | string = {}) =>
  caller.get(`${orders}/orders?${new URLSearchParams(query)}`, 200)
const idsOf = ({ body }: ApiResponse) => body.map((each: { id: string }) => each.id)
const idOf = (url: string) => url.split('/').at(-1) ?? ''

/** A world with orders in every status, in the order of creation. */
async function everyStatus(t: Test) {
  const app = await testApp(t)
  const w = await world(app)
  const draft = await w.createDraft({ priority: true })
  const cancelledDraft = await w.createDraft()
  await w.nurse.patch(pathOf(cancelledDraft), moveTo('CANCELLED'), 204)
  const made: Record<string, string> = { draft: idOf(draft), cancelledDraft: idOf(cancelledDraft) }
  for (const status of ['CANCELLED', 'REJECTED', 'FULFILLED', 'ACCEPTED', 'SUBMITTED']) {
    const { order } = await w.submitted()
    made[status] = idOf(order)
    const caller = status === 'CANCELLED' ? w.nurse : w.provider
    if (status !== 'SUBMITTED') await caller.patch(pathOf(order), moveTo(status), 204)
  }
  return { app, w, made, named: (ids: string[]) => ids.map((id) => nameOf(made, id)) }
}

const nameOf = (made: Record<string, string>, id: string) =>
  Object.keys(made).find((name) => made[name] === id) ?? id

/** Follows the Link headers of a list. */
async function pagesOf(caller: Caller, query: Query): Promise<ApiResponse[]> {
  const pages = [await list(caller, query)]
  for (;;) {
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(pages.at(-1)?.headers.link ?? '') ?? []
    if (!link) return pages
    const { pathname, search } = new URL(link)
    pages.push(await caller.get(pathname + search, 200))
  }
}

t.test('orders tell when they were created, submitted and changed', async (t) => {
  const { w, made } = await everyStatus(t)
  const byId = new Map((await list(w.nurse)).body.map((each: { id: string }) => [each.id, each]))
  t.equal(byId.size, Object.keys(made).length)
  for (const [name, id] of Object.entries(made)) {
    const order = (await w.nurse.get(`${orders}/order/${id}`, 200)).body
    const { created, submitted, updated } = order
    t.match(byId.get(id), { created, submitted, updated }, name)
    t.equal(new Date(created).toISOString(), created)
    t.ok(created <= updated, `${created} ${updated}`)
    if (/draft/i.test(name)) t.equal(submitted, null)
    else t.ok(created <= submitted && submitted <= updated, `${created} ${submitted} ${updated}`)
    const details = `${orders}/order/${id}/details`
    t.same((await w.nurse.get(details, 200)).body.order, order)
    t.match((await w.nurse.get(`${details}?form=flat`, 200)).body, order)
  }
})

t.test('an order names the moves that are open to its caller', async (t) => {
  const { app, w, made } = await everyStatus(t)
  const moves = async (caller: Caller, id = '') => {
    const [one, details] = [`${orders}/order/${id}`, `${orders}/order/${id}/details`]
    const { allowedStatuses } = (await caller.get(one, 200)).body
    t.same((await caller.get(details, 200)).body.order.allowedStatuses, allowedStatuses)
    return allowedStatuses
  }
  const cases: [name: string, nurse: string[], provider?: string[]][] = [
    ['draft', ['CANCELLED']],
    ['cancelledDraft', []],
    ['SUBMITTED', ['CANCELLED'], ['ACCEPTED', 'REJECTED', 'FULFILLED']],
    ['ACCEPTED', ['CANCELLED'], ['FULFILLED']],
    ['REJECTED', [], []],
    ['FULFILLED', [], []],
    ['CANCELLED', [], []]
  ]
  for (const [name, nurse, provider] of cases) {
    t.same(await moves(w.nurse, made[name]), nurse, name)
    if (provider) t.same(await moves(w.provider, made[name]), provider, `${name}, seller`)
  }
  await w.addLine(`${orders}/order/${made.draft}`.replace(/^/, 'http://127.0.0.1:3000'))
  t.same(await moves(w.nurse, made.draft), ['SUBMITTED', 'CANCELLED'], 'with a line')

  const { order, lines } = await w.submitted(2)
  await w.provider.patch(pathOf(lines[0] ?? ''), moveTo('FULFILLED'), 204)
  t.same(await moves(w.nurse, idOf(order)), [], 'a delivered order cannot be cancelled')
  t.same(await moves(w.provider, idOf(order)), ['ACCEPTED', 'FULFILLED'])
  await w.provider.patch(pathOf(lines[1] ?? ''), moveTo('UNFULFILLED'), 204)
  t.same(await moves(w.provider, idOf(order)), ['ACCEPTED'], 'nor fulfilled with an open line')

  const reader = app.as('Provider', organization('provider'), { permissions: ['Order.read'] })
  t.same(await moves(reader, made.SUBMITTED), [], 'a caller without the permission')
})

t.test('what the service sets cannot be patched, and is ignored in a new order', async (t) => {
  const { w, made } = await everyStatus(t)
  const url = `${orders}/order/${made.draft}`
  const { body } = await w.nurse.get(url, 200)
  for (const name of ['created', 'submitted', 'updated', 'allowedStatuses'])
    t.match(
      await w.nurse.patch(url, [
        {
          op: 'replace',
          path: `/${name}`,
          value: name === 'allowedStatuses' ? [] : '2026-01-01T00:00:00.000Z'
        }
      ]),
      { status: 422, body: { code: 'read-only' } },
      name
    )
  const test = { op: 'test', path: '/updated', value: body.updated }
  await w.nurse.patch(url, [test, { op: 'replace', path: '/name', value: 'N' }], 204)
  await w.nurse.patch(url, [test, { op: 'replace', path: '/name', value: 'M' }], 409)
  const copy = await w.nurse.create(`${orders}/order`, { ...body, id: null, created: '2000-01-01' })
  t.ok((await w.nurse.get(pathOf(copy), 200)).body.created > body.created)
})

t.test('lists orders of several statuses', async (t) => {
  const { w, named } = await everyStatus(t)
  const by = async (caller: Caller, query: string) => named(idsOf(await list(caller, query)))
  const all = ['SUBMITTED', 'ACCEPTED', 'FULFILLED', 'REJECTED', 'CANCELLED']
  t.same(await by(w.nurse, ''), [...all, 'cancelledDraft', 'draft'])
  t.same(await by(w.provider, ''), all)
  t.same(await by(w.nurse, 'status=DRAFT,accepted'), ['ACCEPTED', 'draft'])
  t.same(await by(w.nurse, 'status=DRAFT&status=ACCEPTED,DRAFT'), ['ACCEPTED', 'draft'])
  t.same(await by(w.nurse, 'status=CANCELLED'), ['CANCELLED', 'cancelledDraft'])
  t.same(await by(w.provider, 'status=CANCELLED,SUBMITTED,DRAFT'), ['SUBMITTED', 'CANCELLED'])
  t.same(await by(w.provider, 'status=DRAFT'), [])
  for (const query of ['status=DRAFT,LOST', 'status=', 'sort=name', 'updatedSince=soon', 'count=perhaps'])
    t.match(await w.nurse.get(`${orders}/orders?${query}`), { status: 400, body: { code: 'invalid-query' } })
})

t.test('every filter holds with every sort, page by page, and is counted', async (t) => {
  const { app, w, named } = await everyStatus(t)
  // Several orders change in one millisecond.
  await app.sql`update orders set changed_at = date_bin('1 second', changed_at, 'epoch'), submitted_at = date_bin('1 second', submitted_at, 'epoch')`
  type Listed = { id: string; priority: boolean; submitted: string | null; updated: string }
  const keys: Record<string, (order: Listed) => string> = {
    '-created': ({ id }) => id,
    '-submitted': ({ id, submitted }) => `${submitted ?? '0'} ${id}`,
    '-updated': ({ id, updated }) => `${updated} ${id}`,
    priority: ({ id, priority }) => `${priority ? 1 : 0} ${id}`
  }
  const day = '2020-01-01'
  const filters: Query[] = [
    ...[
      {},
      { status: 'ACCEPTED,SUBMITTED' },
      { status: 'FULFILLED,CANCELLED,REJECTED' },
      { updatedSince: day }
    ],
    ...[{ submittedFrom: day }, { submittedTo: '2999-01-01' }, { submittedTo: day }, { priority: 'false' }],
    ...[{ q: 'rasmus' }, { patient: patient('p1') }, { buyer: w.buyer }, { seller: w.seller }, { from: day }],
    { buyer: w.seller, updatedSince: day }
  ]
  for (const caller of [w.nurse, w.provider])
    for (const filter of filters) {
      const all: Listed[] = (await list(caller, filter)).body
      for (const [sort, keyOf] of Object.entries(keys)) {
        const pages = await pagesOf(caller, { ...filter, sort, limit: '2', count: 'true' })
        const expected = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1)).map(({ id }) => id)
        const label = `${caller === w.nurse ? 'buyer' : 'seller'} ${JSON.stringify(filter)} ${sort}`
        t.same(named(pages.flatMap(idsOf)), named(expected), label)
        for (const { headers } of pages) t.equal(headers['x-total-count'], `${all.length}`, label)
      }
    }
  t.equal(idsOf(await list(w.nurse, { submittedFrom: day })).length, 5, 'drafts were not submitted')
})

t.test('counts what the caller sees', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { order } = await w.submitted()
  await w.createDraft()
  const count = async (caller: Caller, query: Query = {}) =>
    (await list(caller, { ...query, limit: '1', count: 'true' })).headers['x-total-count']
  t.same(await Promise.all([w.nurse, w.provider, w.otherNurse, w.otherProvider].map((each) => count(each))), [
    ...['2', '1', '0', '0']
  ])
  t.equal(
    await count(w.nurse, { buyer: `${w.buyer.slice(0, -36)}01a1fd78-8070-733a-b409-86d8293d59aa` }),
    '0'
  )
  t.equal((await list(w.nurse)).headers['x-total-count'], undefined)
  await t.test('up to 10,000', ofOneServer, async (t) => {
    const copies = (number: number) => app.sql`
      insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).* from orders o, generate_series(1, ${number}) where id = ${idOf(order)}`
    await app.sql`alter table orders alter json_bytes drop expression`
    await copies(9999)
    t.equal(await count(w.provider), '10000')
    await copies(1)
    t.equal(await count(w.provider), '10000+')
    t.equal(await count(w.nurse, { status: 'SUBMITTED', sort: 'priority' }), '10000+')
  })
})

t.test('a poll misses no change, however late it commits', ofOneServer, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const [slow, quick] = [await w.createDraft({ name: 'slow' }), await w.createDraft({ name: 'quick' })]
  await app.sql.unsafe(`
    create function wait_if_slow() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return new; end $$;
    create trigger wait_if_slow after insert or update on orders for each row when (new.name = 'slow')
    execute function wait_if_slow()`)
  const poll = async (since: string, query: Query = {}) => {
    const pages = await pagesOf(w.nurse, { updatedSince: since, limit: '1', ...query })
    const until = pages.map(({ headers }) => headers['x-updated-until'])
    t.equal(new Set(until).size, 1, 'all pages have the bound of the first')
    return {
      found: pages.flatMap(({ body }) => body.map((each: { name: string }) => each.name)),
      until: until[0] ?? ''
    }
  }
  const urgent = [{ op: 'replace', path: '/priority', value: true }]
  const changes: [what: string, late: () => Promise<unknown>, meanwhile: () => Promise<unknown>][] = [
    ['create', () => w.createDraft({ name: 'slow' }), () => w.createDraft({ name: 'quick' })],
    [
      'change',
      () => w.nurse.patch(pathOf(slow), urgent, 204),
      () => w.nurse.patch(pathOf(quick), urgent, 204)
    ]
  ]
  for (const [what, late, meanwhile] of changes)
    for (const sort of ['-created', '-updated']) {
      await app.sql`update orders set priority = false, changed_at = '2020-01-01' where name <> 'slow'`
      await app.sql`alter table orders disable trigger wait_if_slow`
      await app.sql`update orders set priority = false, changed_at = '2020-01-01' where name = 'slow'`
      await app.sql`alter table orders enable trigger wait_if_slow`
      const { until: begin } = await poll('2021-01-01')
      const waiter = await app.sql.reserve()
      await waiter`select pg_advisory_lock(42)`
      const writing = late()
      while ((await countWaiting(app.sql)) === 0);
      await meanwhile()
      const first = await poll(begin, { sort })
      t.same(first.found, ['quick'], `${what}, ${sort}: what is committed`)
      t.ok(begin <= first.until, `${begin} ${first.until}`)
      await waiter`select pg_advisory_unlock(42)`
      waiter.release()
      await writing
      const second = await poll(first.until, { sort })
      t.ok(second.found.includes('slow'), `${what}, ${sort}: what was late`)
      const third = await poll(second.until, { sort })
      t.same(third.found, [], 'each change is reported until it cannot be missed, and no longer')
    }
  t.equal((await list(w.nurse)).headers['x-updated-until'], undefined)
})

t.test('a poll does not advance while a patient is erased', async (t) => {
  const app = await testApp(t)
  const { nurse } = await world(app)
  const until = async (since: string) =>
    (await list(nurse, { updatedSince: since })).headers['x-updated-until'] ?? ''
  const since = '2021-01-01T00:00:00.000Z'
  await app.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${ERASURE_LOCK})`
    t.equal(await until(since), since)
  })
  t.ok((await until(since)) > since)
})

t.test('a poll that finds nothing leaves a short audit record', async (t) => {
  const app = await testApp(t)
  const { nurse } = await world(app)
  await list(nurse, { updatedSince: '2999-01-01' })
  const [row] =
    await app.sql`select pg_column_size(e.*) as size from audit_events e where operation = 'listOrder'`
  t.ok(row?.size < 1000, `${row?.size} bytes`)
})
