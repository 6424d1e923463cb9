import t, { type Test } from 'tap'
import { dateFormatterOf } from '../../src/platform/dates/date-in-time-zone.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

type Query = Record<string, string>

const idsOf = (body: { id: string }[]) => body.map((each) => each.id)
const ask = async (caller: Caller, path: string, query: Query = {}) =>
  idsOf((await caller.get(`${path}?${new URLSearchParams(query)}`, 200)).body)

/** Follows the Link headers to the last page. */
async function allPages(
  caller: Caller,
  url: string,
  each: () => Promise<unknown> = async () => {}
): Promise<string[]> {
  const seen: string[] = []
  for (let next: string | undefined = url; next; ) {
    const response = await caller.get(next, 200)
    seen.push(...idsOf(response.body))
    if (new Set(seen).size < seen.length) throw new Error(`An entry is repeated: ${next}`)
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(response.headers.link ?? '') ?? []
    next = link && new URL(link).pathname + new URL(link).search
    await each()
  }
  return seen
}

const app = await testApp(t)
const w = await world(app)
const { clerk, nurse, provider, otherNurse, otherProvider } = w
const { buyer, seller, account, otherBuyer, otherSeller } = w
const create = async (url: string, body: object) => idOf(await clerk.create(url, body))

interface ListCase {
  who: Caller
  query: Query
  ids: string[]
}

async function checkLists(t: Test, path: string, cases: readonly ListCase[]): Promise<void> {
  for (const [at, { who, query, ids }] of cases.entries())
    t.same(await ask(who, path, query), ids, `${at} ${JSON.stringify(query)}`)
}

/** Checks that a list refuses each of these filters. */
async function checkRefused(t: Test, path: string, queries: readonly Query[]): Promise<void> {
  for (const query of queries) {
    const url = `${path}?${new URLSearchParams(query)}`
    t.match(outcome(await nurse.get(url)), /^400 invalid-query/, url)
  }
}

t.test('orders are listed newest first, by filters and words', async (t) => {
  const first = await w.createDraft({ priority: true, name: 'Blodtryksmåler til Åse' })
  const urgent = idOf(first)
  const second = idOf(
    await w.createDraft({
      identifiers: [{ system: 'urn:n', value: 'AAK-0042' }],
      receiver: { name: 'Søren Ærø', patient: patient('p2') }
    })
  )
  const { order } = await w.submitted()
  const sent = idOf(order)
  const gone = await w.createDraft()
  await nurse.delete(pathOf(gone), 204)
  const dayOf = async (url: string) =>
    dateFormatterOf(app.app.timeZone)(new Date((await nurse.get(pathOf(url), 200)).body.created))
  const days = { from: await dayOf(first), to: await dayOf(order) }

  await checkLists(t, `${orders}/orders`, [
    { who: nurse, query: {}, ids: [sent, second, urgent] },
    { who: provider, query: {}, ids: [sent] },
    { who: otherNurse, query: {}, ids: [] },
    { who: otherProvider, query: {}, ids: [] },
    { who: nurse, query: { buyer }, ids: [sent, second, urgent] },
    { who: nurse, query: { buyer: otherBuyer }, ids: [] },
    { who: nurse, query: { seller, status: 'draft' }, ids: [second, urgent] },
    { who: provider, query: { status: 'SUBMITTED', priority: 'false' }, ids: [sent] },
    { who: provider, query: { status: 'SUBMITTED', priority: 'true' }, ids: [] },
    { who: provider, query: { status: 'DRAFT' }, ids: [] },
    { who: nurse, query: { priority: 'true' }, ids: [urgent] },
    { who: nurse, query: { patient: patient('p2') }, ids: [second] },
    { who: nurse, query: days, ids: [sent, second, urgent] },
    { who: nurse, query: { to: '2020-01-01' }, ids: [] },
    { who: nurse, query: { from: '2999-01-01T00:00:00Z' }, ids: [] },
    { who: nurse, query: { q: 'aak-0042' }, ids: [second] },
    { who: nurse, query: { q: 'aak0042 sørenærø' }, ids: [second] },
    { who: nurse, query: { q: 'soeren AEROE' }, ids: [second] },
    { who: nurse, query: { q: 'blodtryksmaaler aase' }, ids: [urgent] },
    { who: nurse, query: { q: 'blodtryk søren' }, ids: [] },
    { who: nurse, query: { q: '%' }, ids: [] },
    { who: provider, query: { q: 'rasmus' }, ids: [sent] },
    { who: provider, query: { q: 'søren' }, ids: [] }
  ])
  t.same(await ask(nurse, `${orders}/order`, { q: 'aak' }), [second], 'the singular address')
  await checkRefused(t, `${orders}/orders`, [
    { from: '2026-02-30' },
    { to: 'yesterday' },
    { status: 'LOST' },
    { priority: 'perhaps' },
    { buyer: 'x' }
  ])
})

t.test('pages of orders stay in order while orders are created', async (t) => {
  for (let at = 0; at < 10; at++) await w.createDraft()
  const before = await ask(nurse, `${orders}/orders`)
  const seen = await allPages(nurse, `${orders}/orders?limit=5`, () => w.createDraft())
  t.same(seen, before, 'each once, newest first, without later ones')
})

t.test('order lines are listed by order and status', async (t) => {
  const { order, lines } = await w.submitted(2)
  const draft = await w.createDraft()
  const line = idOf(await w.addLine(draft))
  await provider.patch(pathOf(lines[0] ?? ''), moveTo('FULFILLED'), 204)
  const [first = '', second = ''] = lines.map(idOf)
  const latest = async (who: Caller) => (await ask(who, `${orders}/order-lines`)).slice(1)
  t.same(await latest(nurse), [first, second, line])
  t.same(await latest(provider), [first, second])
  await checkLists(t, `${orders}/order-lines`, [
    { who: nurse, query: { order, status: 'fulfilled' }, ids: [first] },
    { who: provider, query: { order: draft }, ids: [] },
    { who: otherNurse, query: { order }, ids: [] }
  ])
})

t.test('parties are listed by organization, role and name', async (t) => {
  const everyParty = [buyer, seller, account, otherBuyer, otherSeller].map(idOf)
  const path = `${orders}/parties`
  t.same(await allPages(clerk, `${path}?limit=2`), everyParty)
  await checkLists(t, path, [
    { who: otherProvider, query: {}, ids: everyParty },
    { who: nurse, query: { organization: organization('region') }, ids: [idOf(buyer)] },
    {
      who: nurse,
      query: { organization: `${organization('provider')}/`, role: 'seller' },
      ids: [idOf(seller)]
    },
    { who: nurse, query: { organization: organization('provider'), role: 'BUYER' }, ids: [] },
    { who: nurse, query: { role: 'ACCOUNTING' }, ids: [idOf(account)] }
  ])
  await checkRefused(t, path, [{ organization: 'region' }, { role: 'PAYER' }])
})

t.test('contracts are listed by parties, day and expiry', async (t) => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const contract = (start: string, end: string, more: object = {}) =>
    create(`${orders}/contract`, {
      name: 'C',
      validityPeriod: { start, end },
      seller,
      account,
      buyer: [buyer],
      ...more
    })
  const long = idOf(w.contract)
  const past = await contract('2001-01-01', '2001-12-31', { reminderDays: 30 })
  const due = await contract('2001-01-01', day(10), { reminderDays: 30 })
  const early = await contract('2001-01-01', day(40), { reminderDays: 30, buyer: [otherBuyer, buyer] })
  const foreign = await contract('2001-01-01', '2999-12-31', { seller: otherSeller })
  await checkLists(t, `${orders}/contracts`, [
    { who: clerk, query: {}, ids: [long, past, due, early, foreign] },
    { who: provider, query: {}, ids: [long, past, due, early] },
    { who: otherProvider, query: {}, ids: [foreign] },
    { who: clerk, query: { seller: otherSeller }, ids: [foreign] },
    { who: clerk, query: { buyer: otherBuyer }, ids: [early] },
    { who: clerk, query: { account, validOn: '2001-06-01' }, ids: [past, due, early, foreign] },
    { who: clerk, query: { validOn: '2001-12-31', seller }, ids: [past, due, early] },
    { who: clerk, query: { expiring: 'true' }, ids: [due] },
    { who: clerk, query: { expiring: 'false', buyer: otherBuyer }, ids: [early] }
  ])
  const [body] = (await clerk.get(`${orders}/contract?buyer=${encodeURIComponent(otherBuyer)}`, 200)).body
  t.same(body.buyer, [otherBuyer, buyer])
  await checkRefused(t, `${orders}/contracts`, [{ validOn: '2026-02-30' }])
})

t.test('catalogues are listed by seller and status', async (t) => {
  const mine = idOf(w.catalogue)
  const draft = await create(`${catalogue}/catalogue`, { seller, name: 'Draft' })
  const other = await create(`${catalogue}/catalogue`, {
    seller: otherSeller,
    name: 'Other',
    status: 'ACTIVE'
  })
  await checkLists(t, `${catalogue}/catalogues`, [
    { who: clerk, query: {}, ids: [mine, draft, other] },
    { who: provider, query: {}, ids: [mine, draft] },
    { who: clerk, query: { status: 'active' }, ids: [mine, other] },
    { who: provider, query: { seller: otherSeller }, ids: [] },
    { who: clerk, query: { administered: 'true' }, ids: [mine, draft, other] },
    { who: clerk, query: { administered: 'true', status: 'DRAFT' }, ids: [draft] },
    { who: provider, query: { administered: 'true' }, ids: [mine, draft] },
    { who: nurse, query: { administered: 'true' }, ids: [] },
    { who: nurse, query: { administered: 'false' }, ids: [mine, draft, other] }
  ])
  t.same(await ask(clerk, `${catalogue}/catalogue`, { seller, status: 'DRAFT' }), [draft])
})

/** Every list that has filters by URL, and a query that it requires. */
const lists: { path: string; who: Caller; filters: string[]; required?: Query }[] = [
  { path: `${orders}/audit-events`, who: nurse, filters: ['order'] },
  { path: `${orders}/contracts`, who: clerk, filters: ['seller', 'account', 'buyer'] },
  { path: `${orders}/orders`, who: nurse, filters: ['buyer', 'seller'] },
  { path: `${orders}/order-lines`, who: nurse, filters: ['order'] },
  { path: `${orders}/trace-lines`, who: nurse, filters: ['order', 'orderLine'] },
  { path: `${catalogue}/catalogues`, who: clerk, filters: ['seller'] },
  { path: `${catalogue}/catalogue-items`, who: clerk, filters: ['buyer', 'catalogue'] },
  { path: `${catalogue}/annotations`, who: clerk, filters: ['buyer', 'catalogue', 'catalogueItem'] },
  { path: `${catalogue}/white-lists`, who: clerk, filters: ['buyer', 'item'] },
  { path: `${catalogue}/black-lists`, who: nurse, filters: ['item'], required: { patient: patient('p2') } }
]

t.test('a filter by the URL of no resource finds nothing, and another text is refused', async (t) => {
  await nurse.create(`${catalogue}/black-list`, { patient: patient('p2'), item: w.monitor })
  const { origin } = new URL(buyer)
  const types: Record<string, string> = {
    seller: 'party',
    account: 'party',
    buyer: 'party',
    order: 'order',
    orderLine: 'order-line',
    catalogue: 'catalogue',
    catalogueItem: 'catalogue-item',
    item: 'catalogue-item'
  }
  for (const { path, who, filters, required } of lists)
    for (const filter of filters) {
      const type = types[filter] ?? ''
      const api = /party|order/.test(type) ? orders : catalogue
      for (const url of [
        `${origin}${api}/${type}/${unknownId}`,
        `${origin}${api}/${type}/no-id`,
        `https://elsewhere.example${api}/${type}/${unknownId}`
      ])
        t.same(await ask(who, path, { ...required, [filter]: url }), [], `${path} ${filter} ${url}`)
      for (const url of ['no-url', `${origin}${api}/other/${unknownId}`])
        t.match(
          await who.get(`${path}?${new URLSearchParams({ ...required, [filter]: url })}`),
          { status: 400, body: { code: 'invalid-query', detail: new RegExp(`parameter ${filter} must`) } },
          `${path} ${filter} ${url}`
        )
    }
  for (const value of ['no-url', organization('o')])
    for (const path of [`${orders}/orders`, `${orders}/audit-events`, `${catalogue}/black-lists`])
      t.match(
        await nurse.get(`${path}?${new URLSearchParams({ patient: value })}`),
        { status: 400, body: { code: 'invalid-query', detail: /parameter patient must/ } },
        `${path} ${value}`
      )
})

t.test('a cursor shows only entries that its bearer may see', async (t) => {
  for (let at = 0; at < 3; at++) await w.createDraft({ receiver: { name: 'R', patient: patient('p7') } })
  const first = await nurse.get(`${orders}/orders?limit=1&patient=${encodeURIComponent(patient('p7'))}`, 200)
  const next = nextOf(first)
  t.notMatch(first.headers.link, /Patient|fhir\.example/)
  t.equal((await nurse.get(next, 200)).body.length, 1)
  t.same((await otherNurse.get(next, 200)).body, [])
  t.same((await provider.get(next, 200)).body, [])
  await nurse.get(`${next}&patient=${encodeURIComponent(patient('p8'))}`, 400)
  await nurse.get(`${next.slice(0, -4)}AAAA`, 400)
})
