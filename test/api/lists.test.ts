import t from 'tap'
import { dateFormatterOf } from '../../src/platform/util/date-in-time-zone.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { catalogue, moveTo, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

type Query = Record<string, string>

const idsOf = (body: { id: string }[]) => body.map((each) => each.id)
const idOf = (url: string) => url.split('/').at(-1) ?? ''
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

t.test('lists orders', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { nurse, provider, otherNurse, otherProvider, buyer, seller, otherBuyer } = w
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

  const cases: [who: Caller, query: Query, ids: string[]][] = [
    [nurse, {}, [sent, second, urgent]],
    [provider, {}, [sent]],
    [otherNurse, {}, []],
    [otherProvider, {}, []],
    [nurse, { buyer }, [sent, second, urgent]],
    [nurse, { buyer: otherBuyer }, []],
    [nurse, { seller, status: 'draft' }, [second, urgent]],
    [provider, { status: 'SUBMITTED', priority: 'false' }, [sent]],
    [provider, { status: 'SUBMITTED', priority: 'true' }, []],
    [provider, { status: 'DRAFT' }, []],
    [nurse, { priority: 'true' }, [urgent]],
    [nurse, { patient: patient('p2') }, [second]],
    [nurse, { from: await dayOf(first), to: await dayOf(order) }, [sent, second, urgent]],
    [nurse, { to: '2020-01-01' }, []],
    [nurse, { from: '2999-01-01T00:00:00Z' }, []],
    [nurse, { q: 'aak-0042' }, [second]],
    [nurse, { q: 'soren AERO' }, [second]],
    [nurse, { q: 'blodtryksmaler ase' }, [urgent]],
    [nurse, { q: 'blodtryk soren' }, []],
    [nurse, { q: '%' }, []],
    [provider, { q: 'rasmus' }, [sent]],
    [provider, { q: 'søren' }, []]
  ]
  for (const [at, [who, query, ids]] of cases.entries())
    t.same(await ask(who, `${orders}/orders`, query), ids, `${at} ${JSON.stringify(query)}`)
  t.same(await ask(nurse, `${orders}/order`, { q: 'aak' }), [second], 'the singular address')

  for (const query of [
    { from: '2026-02-30' },
    { to: 'yesterday' },
    { status: 'LOST' },
    { priority: 'perhaps' },
    { buyer: 'x' }
  ] as Query[])
    t.match(
      await nurse.get(`${orders}/orders?${new URLSearchParams(query)}`),
      { status: 400, body: { code: 'invalid-query' } },
      JSON.stringify(query)
    )
})

t.test('pages of orders stay in order while orders are created', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const before: string[] = []
  for (let at = 0; at < 12; at++) before.unshift(idOf(await w.createDraft()))
  const seen = await allPages(w.nurse, `${orders}/orders?limit=5`, () => w.createDraft())
  t.same(seen, before, 'each once, newest first, without later ones')
})

t.test('lists order lines', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { order, lines } = await w.submitted(2)
  const draft = await w.createDraft()
  const line = await w.addLine(draft)
  await w.provider.patch(pathOf(lines[0] ?? ''), moveTo('FULFILLED'), 204)
  const [first = '', second = ''] = lines.map(idOf)
  t.same(await ask(w.nurse, `${orders}/order-lines`), [first, second, idOf(line)])
  t.same(await ask(w.provider, `${orders}/order-lines`), [first, second])
  t.same(await ask(w.nurse, `${orders}/order-lines`, { order, status: 'fulfilled' }), [first])
  t.same(await ask(w.provider, `${orders}/order-lines`, { order: draft }), [])
  t.same(await ask(w.otherNurse, `${orders}/order-lines`, { order }), [])
})

t.test('lists parties, contracts and catalogues', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, provider, otherProvider, buyer, seller, account, otherBuyer, otherSeller } = w
  const everyParty = [buyer, seller, account, otherBuyer, otherSeller].map(idOf)
  t.same(await ask(otherProvider, `${orders}/parties`), everyParty)
  t.same(await allPages(clerk, `${orders}/parties?limit=2`), everyParty)
  const partiesBy = (query: Query) => ask(w.nurse, `${orders}/parties`, query)
  t.same(await partiesBy({ organization: organization('region') }), [idOf(buyer)])
  t.same(await partiesBy({ organization: `${organization('provider')}/`, role: 'seller' }), [idOf(seller)])
  t.same(await partiesBy({ organization: organization('provider'), role: 'BUYER' }), [])
  t.same(await partiesBy({ role: 'ACCOUNTING' }), [idOf(account)])
  const invalid = { status: 400, body: { code: 'invalid-query' } }
  t.match(await clerk.get(`${orders}/parties?organization=region`), invalid)
  t.match(await clerk.get(`${orders}/parties?role=PAYER`), invalid)

  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const contract = (start: string, end: string, more: object = {}) =>
    clerk.create(`${orders}/contract`, {
      name: 'C',
      validityPeriod: { start, end },
      seller,
      account,
      buyer: [buyer],
      ...more
    })
  const long = idOf(w.contract)
  const past = idOf(await contract('2001-01-01', '2001-12-31', { reminderDays: 30 }))
  const due = idOf(await contract('2001-01-01', day(10), { reminderDays: 30 }))
  const early = idOf(await contract('2001-01-01', day(40), { reminderDays: 30, buyer: [otherBuyer, buyer] }))
  const foreign = idOf(await contract('2001-01-01', '2999-12-31', { seller: otherSeller }))
  const cases: [who: Caller, query: Query, ids: string[]][] = [
    [clerk, {}, [long, past, due, early, foreign]],
    [provider, {}, [long, past, due, early]],
    [otherProvider, {}, [foreign]],
    [clerk, { seller: otherSeller }, [foreign]],
    [clerk, { buyer: otherBuyer }, [early]],
    [clerk, { account, validOn: '2001-06-01' }, [past, due, early, foreign]],
    [clerk, { validOn: '2001-12-31', seller }, [past, due, early]],
    [clerk, { expiring: 'true' }, [due]],
    [clerk, { expiring: 'false', buyer: otherBuyer }, [early]]
  ]
  for (const [who, query, ids] of cases)
    t.same(await ask(who, `${orders}/contracts`, query), ids, JSON.stringify(query))
  const [body] = (await clerk.get(`${orders}/contract?buyer=${encodeURIComponent(otherBuyer)}`, 200)).body
  t.same(body.buyer, [otherBuyer, buyer])
  await clerk.get(`${orders}/contracts?validOn=2026-02-30`, 400)

  const { origin } = new URL(buyer)
  const lists: [path: string, caller: Caller, filters: string[], needed?: Query][] = [
    // First, because it records the requests for the others.
    [`${orders}/audit-events`, w.nurse, ['order']],
    [`${orders}/contracts`, clerk, ['seller', 'account', 'buyer']],
    [`${orders}/orders`, w.nurse, ['buyer', 'seller']],
    [`${orders}/order-lines`, w.nurse, ['order']],
    [`${orders}/trace-lines`, w.nurse, ['order', 'orderLine']],
    [`${catalogue}/catalogues`, clerk, ['seller']],
    [`${catalogue}/catalogue-items`, clerk, ['buyer', 'catalogue']],
    [`${catalogue}/annotations`, clerk, ['buyer', 'catalogue', 'catalogueItem']],
    [`${catalogue}/white-lists`, clerk, ['buyer', 'item']],
    [`${catalogue}/black-lists`, w.nurse, ['item'], { patient: patient('p2') }]
  ]
  await w.createDraft()
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p2'), item: w.monitor })
  const kinds: Record<string, string> = {
    ...{ seller: 'party', account: 'party', buyer: 'party', order: 'order', orderLine: 'order-line' },
    ...{ catalogue: 'catalogue', catalogueItem: 'catalogue-item', item: 'catalogue-item' }
  }
  for (const [path, caller, filters, needed = {}] of lists)
    for (const filter of filters) {
      const kind = kinds[filter] ?? ''
      const api = /party|order/.test(kind) ? orders : catalogue
      for (const url of [
        `${origin}${api}/${kind}/${unknownId}`,
        `${origin}${api}/${kind}/no-id`,
        `https://elsewhere.example${api}/${kind}/${unknownId}`
      ])
        t.same(await ask(caller, path, { ...needed, [filter]: url }), [], `${path} ${filter} ${url}`)
      for (const url of ['no-url', `${origin}${api}/other/${unknownId}`])
        t.match(
          await caller.get(`${path}?${new URLSearchParams({ ...needed, [filter]: url })}`),
          { status: 400, body: { code: 'invalid-query', detail: new RegExp(`parameter ${filter} must`) } },
          `${path} ${filter} ${url}`
        )
    }

  const mine = idOf(w.catalogue)
  const draft = idOf(await clerk.create(`${catalogue}/catalogue`, { seller, name: 'Draft' }))
  const other = idOf(
    await clerk.create(`${catalogue}/catalogue`, { seller: otherSeller, name: 'Other', status: 'ACTIVE' })
  )
  t.same(await ask(clerk, `${catalogue}/catalogues`), [mine, draft, other])
  t.same(await ask(provider, `${catalogue}/catalogues`), [mine, draft])
  t.same(await ask(clerk, `${catalogue}/catalogues`, { status: 'active' }), [mine, other])
  t.same(await ask(clerk, `${catalogue}/catalogue`, { seller, status: 'DRAFT' }), [draft])
  t.same(await ask(provider, `${catalogue}/catalogues`, { seller: otherSeller }), [])

  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p2'), item: w.repair })
  for (const name of ['first', 'second'])
    await clerk.create(`${catalogue}/annotation`, {
      ...{ catalogueItem: w.monitor, buyer, name },
      value: { system: 'http://snomed.info/sct', code: '19892000' }
    })
  const { order } = await w.submitted(2)
  for (const [path, caller, , needed] of lists.filter(([path]) => !path.endsWith('audit-events'))) {
    const query = path.endsWith('trace-lines') ? { order } : (needed ?? {})
    const all = await ask(caller, path, query)
    t.ok(all.length >= 2, `${path} has some`)
    const pages = await allPages(caller, `${path}?${new URLSearchParams({ ...query, limit: '1' })}`)
    t.same(pages, all, `${path}, one by one`)
  }
  for (const query of ['patient=no-url', `patient=${encodeURIComponent(organization('o'))}`])
    for (const path of [`${orders}/orders`, `${orders}/audit-events`, `${catalogue}/black-lists`])
      t.match(
        await w.nurse.get(`${path}?${query}`),
        { status: 400, body: { code: 'invalid-query', detail: /parameter patient must/ } },
        `${path}?${query}`
      )
})

t.test('a cursor shows only entries that its bearer may see', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  for (let at = 0; at < 3; at++) await w.createDraft({ receiver: { name: 'R', patient: patient('p7') } })
  const first = await w.nurse.get(
    `${orders}/orders?limit=1&patient=${encodeURIComponent(patient('p7'))}`,
    200
  )
  const [, next = ''] = /^<([^>]+)>/.exec(first.headers.link ?? '') ?? []
  t.notMatch(next, /Patient|fhir\.example/)
  const path = new URL(next).pathname + new URL(next).search
  t.equal((await w.nurse.get(path, 200)).body.length, 1)
  t.same((await w.otherNurse.get(path, 200)).body, [])
  t.same((await app.as('Provider', organization('provider')).get(path, 200)).body, [])
  await w.nurse.get(`${path}&patient=${encodeURIComponent(patient('p8'))}`, 400)
  await w.nurse.get(`${path.slice(0, -4)}AAAA`, 400)
})
