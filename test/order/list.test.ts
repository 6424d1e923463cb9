import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { copyRow } from '../fixtures/copies.js'
import { nextOf } from '../fixtures/events/reading.js'
import { listOrders as list, pagesOf, type Query } from '../fixtures/order-lists.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)

/** Ids of orders in every status, by name, in the order of creation. */
const made = await everyStatus()

async function everyStatus(): Promise<Record<string, string>> {
  const draft = await w.createDraft({ priority: true })
  const cancelledDraft = await w.createDraft()
  await w.nurse.patch(pathOf(cancelledDraft), transitionTo('CANCELLED'), 204)
  const ids: Record<string, string> = { draft: idOf(draft), cancelledDraft: idOf(cancelledDraft) }
  for (const status of ['CANCELLED', 'REJECTED', 'FULFILLED', 'ACCEPTED', 'SUBMITTED']) {
    const { order } = await w.submitted()
    ids[status] = idOf(order)
    const caller = status === 'CANCELLED' ? w.nurse : w.provider
    if (status !== 'SUBMITTED') await caller.patch(pathOf(order), transitionTo(status), 204)
  }
  return ids
}

const named = (ids: string[]) => ids.map((id) => Object.keys(made).find((name) => made[name] === id) ?? id)

const idsOf = ({ body }: ApiResponse) => body.map((each: { id: string }) => each.id)
const countOf = async (caller: Caller, query: Query = {}) =>
  (await list(caller, { ...query, limit: '1', count: 'true' })).headers['x-total-count']

t.test('orders show when they were created, submitted and changed', async (t) => {
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
    const { order: nested, ...parts } = (await w.nurse.get(details, 200)).body
    t.same(nested, order)
    t.same((await w.nurse.get(`${details}?form=flat`, 200)).body, { ...order, ...parts })
  }
})

t.test('lists orders of several statuses', async (t) => {
  const by = async (caller: Caller, query: string) => named(idsOf(await list(caller, query)))
  const all = ['SUBMITTED', 'ACCEPTED', 'FULFILLED', 'REJECTED', 'CANCELLED']
  t.same(await by(w.nurse, ''), [...all, 'cancelledDraft', 'draft'])
  t.same(await by(w.provider, ''), all)
  t.same(await by(w.nurse, 'status=DRAFT,accepted'), ['ACCEPTED', 'draft'])
  t.same(await by(w.nurse, 'status=DRAFT&status=ACCEPTED,DRAFT'), ['ACCEPTED', 'draft'])
  t.same(await by(w.nurse, 'status=CANCELLED'), ['CANCELLED', 'cancelledDraft'])
  t.same(await by(w.provider, 'status=CANCELLED,SUBMITTED,DRAFT'), ['SUBMITTED', 'CANCELLED'])
  t.same(await by(w.provider, 'status=DRAFT'), [])
})

t.test('every filter works with every sort, page by page, and with a count', async (t) => {
  // Several orders change in one millisecond.
  await app.sql`update orders set changed_at = date_bin('1 second', changed_at, 'epoch'),
    submitted_at = date_bin('1 second', submitted_at, 'epoch')`
  type Listed = { id: string; priority: boolean; submitted: string | null; updated: string }
  const keys: Record<string, (order: Listed) => string> = {
    '-created': ({ id }) => id,
    '-submitted': ({ id, submitted }) => `${submitted ?? '0'} ${id}`,
    '-updated': ({ id, updated }) => `${updated} ${id}`,
    priority: ({ id, priority }) => `${priority ? 1 : 0} ${id}`
  }
  const day = '2020-01-01'
  const filters: Query[] = [
    {},
    { status: 'ACCEPTED,SUBMITTED' },
    { status: 'FULFILLED,CANCELLED,REJECTED' },
    { updatedSince: day },
    { submittedFrom: day },
    { submittedTo: '2999-01-01' },
    { submittedTo: day },
    { priority: 'false' },
    { q: 'rasmus' },
    { patient: patient('p1') },
    { buyer: w.buyer },
    { seller: w.seller },
    { from: day },
    { buyer: w.seller, updatedSince: day }
  ]
  for (const caller of [w.nurse, w.provider])
    for (const filter of filters) {
      const all: Listed[] = (await list(caller, filter)).body
      for (const [sort, keyOf] of Object.entries(keys)) {
        const pages = await pagesOf(caller, { ...filter, sort, limit: '3', count: 'true' })
        const expected = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1)).map(({ id }) => id)
        const label = `${caller === w.nurse ? 'buyer' : 'seller'} ${JSON.stringify(filter)} ${sort}`
        t.same(named(pages.flatMap(idsOf)), named(expected), label)
        for (const { headers } of pages) t.equal(headers['x-total-count'], `${all.length}`, label)
      }
    }
  t.equal(idsOf(await list(w.nurse, { submittedFrom: day })).length, 5, 'drafts were not submitted')
})

t.test('counts the orders that the caller sees', async (t) => {
  for (const { caller, count } of [
    { caller: w.nurse, count: '7' },
    { caller: w.provider, count: '5' },
    { caller: w.otherNurse, count: '0' },
    { caller: w.otherProvider, count: '0' }
  ])
    t.equal(await countOf(caller), count)
  t.equal(await countOf(w.nurse, { buyer: w.buyer.replace(/[^/]+$/, unknownId) }), '0')
  t.equal((await list(w.nurse)).headers['x-total-count'], undefined)
})

t.test('the cursor of another caller does not disclose its number of orders', async (t) => {
  const query = { limit: '1', count: 'true' }
  const next = nextOf(await list(w.nurse, query))
  const ofProvider = nextOf(await list(w.provider, query))
  t.equal(next.length, ofProvider.length, 'the length is independent of the organization')
  for (const [caller, count] of [
    [w.nurse, '7'],
    [w.provider, '5'],
    [w.otherNurse, '0'],
    [w.otherProvider, '0']
  ] as const)
    t.equal((await caller.get(next, 200)).headers['x-total-count'], count)
})

t.test('counts up to 10,000', async (t) => {
  const copy = (number: number) => copyRow(app, 'orders', made.SUBMITTED ?? '', number)
  await copy(9999)
  t.equal(await countOf(w.provider, { status: 'SUBMITTED' }), '10000')
  await copy(1)
  t.equal(await countOf(w.provider, { status: 'SUBMITTED' }), '10000+')
  t.equal(await countOf(w.provider), '10000+')
  t.equal(await countOf(w.nurse, { status: 'SUBMITTED', sort: 'priority' }), '10000+')
})
