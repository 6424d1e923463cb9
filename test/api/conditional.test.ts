import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { annotation, contract, device, moreDevices, party } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { catalogue, moveTo, orders, pathOf } from '../fixtures/world.js'

const app = await testApp(t)
const g = await populatedWorld(app)
const { clerk, nurse, provider, seller } = g

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const write = (
  who: Caller,
  method: Method,
  url: string,
  payload: unknown,
  headers: Record<string, string> = {}
) => who.send({ method, url, ...(payload === undefined ? {} : { payload: payload as object }), headers })
const tagOf = async (who: Caller, url: string, headers: Record<string, string> = {}) =>
  (await who.send({ method: 'GET', url: url.replace(/^https?:..[^/]+/, ''), headers })).headers.etag ?? ''

t.test('of writers with the same If-Match exactly one wins', async (t) => {
  const note = (text: string) => [{ op: 'add', path: '/notes/-', value: { note: text } }]
  interface Race {
    url: string
    who?: Caller
    method?: Method
    body: (text: string) => unknown
  }
  const races: Race[] = [
    { url: g.order, who: nurse, method: 'PATCH', body: note },
    { url: g.otherSeller, body: (name) => ({ ...party('other-provider', 'SELLER'), name }) },
    { url: g.contract, body: (name) => ({ ...contract(g), name }) },
    { url: g.catalogue, body: (name) => ({ ...moreDevices(g), name }) },
    { url: g.monitor, body: (name) => ({ ...device(g), name }) },
    { url: g.annotation, body: (name) => ({ ...annotation(g), name }) }
  ]
  for (const { url, who = clerk, method = 'PUT', body } of races)
    for (let round = 0; round < 5; round++) {
      const etag = await tagOf(who, url)
      const responses = await Promise.all(
        ['a', 'b', 'c', 'd'].map((text) =>
          write(who, method, pathOf(url), body(`${text} ${round}`), { 'if-match': etag })
        )
      )
      t.same(responses.map(({ status }) => status).sort(), [204, 412, 412, 412], `${url}, round ${round}`)
    }
  for (let round = 0; round < 5; round++) {
    const { lines } = await g.submitted()
    const line = lines[0] ?? ''
    const ifMatch = { 'if-match': await tagOf(provider, line) }
    const responses = await Promise.all([
      write(provider, 'PATCH', pathOf(line), moveTo('FULFILLED'), ifMatch),
      write(nurse, 'PATCH', pathOf(line), moveTo('CANCELLED'), ifMatch),
      write(provider, 'PATCH', pathOf(line), moveTo('UNFULFILLED'), ifMatch)
    ])
    t.same(responses.map(({ status }) => status).sort(), [204, 412, 412], `line, round ${round}`)
  }
})

t.test('If-Match compares revisions by strong comparison', async (t) => {
  const url = pathOf(g.catalogue)
  const put = (ifMatch: string, path = url) =>
    write(clerk, 'PUT', path, { seller, name: randomUUID(), status: 'ACTIVE' }, { 'if-match': ifMatch })
  const cases: { ifMatch: (tag: string) => string; status: number }[] = [
    { ifMatch: (tag) => tag, status: 204 },
    { ifMatch: (tag) => `"x.y" , ${tag}`, status: 204 },
    { ifMatch: () => '*', status: 204 },
    { ifMatch: (tag) => `W/${tag}`, status: 412 },
    { ifMatch: (tag) => tag.replaceAll('"', ''), status: 412 },
    { ifMatch: () => '', status: 412 },
    { ifMatch: () => '"0.x"', status: 412 },
    { ifMatch: () => '"*"', status: 412 }
  ]
  for (const { ifMatch, status } of cases) {
    const sent = ifMatch(await tagOf(clerk, url))
    t.equal((await put(sent)).status, status, sent)
  }
  t.equal((await put(await tagOf(clerk, g.monitor))).status, 412, 'the tag of another resource')
  t.equal((await put('*', `${catalogue}/catalogue/${randomUUID()}`)).status, 404)
  t.match(await put('"x.y"'), { status: 412, body: { code: 'precondition-failed', errors: undefined } })
  const { headers } = await clerk.get(`${catalogue}/catalogues`, 200)
  t.equal((await put(headers.etag ?? '')).status, 412, 'the tag of a list')
})

t.test('the language, the caller and the query change the tag and not its revision', async (t) => {
  const { order } = await g.submitted()
  const tags = [
    await tagOf(nurse, order),
    await tagOf(nurse, order, { 'accept-language': 'da' }),
    await tagOf(provider, order),
    (await nurse.get(`${pathOf(order)}?expand=parties`, 200)).headers.etag ?? '',
    (await nurse.get(`${pathOf(order)}/details`, 200)).headers.etag ?? '',
    (await nurse.get(`${pathOf(order)}/details?form=flat&expand=parties`, 200)).headers.etag ?? ''
  ]
  t.equal(new Set(tags).size, tags.length)
  t.equal(new Set(tags.map((tag) => tag.split('.')[0])).size, 1)
  for (const tag of tags.slice(1)) {
    const [hash] = tag.split('.').slice(1)
    t.equal(
      (await write(provider, 'PATCH', pathOf(order), [], { 'if-match': `${tag.split('.')[0]}.${hash}` }))
        .status,
      204
    )
  }
})

t.test('a line has its own revision, and its changes are changes of the order', async (t) => {
  const { order, lines } = await g.submitted(2)
  const [first = '', second = ''] = lines
  const before = [await tagOf(nurse, order), await tagOf(provider, first), await tagOf(provider, second)]
  await provider.patch(pathOf(first), moveTo('FULFILLED'), 204)
  t.not(await tagOf(nurse, order), before[0])
  t.not(await tagOf(provider, first), before[1])
  t.equal(await tagOf(provider, second), before[2])
  const ifMatch = (tag = '') => ({ 'if-match': tag })
  t.match(await write(nurse, 'PATCH', pathOf(order), moveTo('CANCELLED'), ifMatch(before[0])), {
    status: 412,
    headers: { 'cache-control': 'no-store' }
  })
  t.equal((await write(nurse, 'PATCH', pathOf(second), moveTo('CANCELLED'), ifMatch(before[2]))).status, 204)
  const draft = await g.createDraft()
  const stale = await tagOf(nurse, draft)
  await g.addLine(draft)
  t.equal((await write(nurse, 'DELETE', pathOf(draft), undefined, ifMatch(stale))).status, 412)
})

t.test('a response with the preferred resource has the tag of its GET, others have none', async (t) => {
  const headers = { prefer: 'return=representation', 'idempotency-key': randomUUID(), 'if-match': '"x.y"' }
  const create = () => write(clerk, 'POST', `${catalogue}/catalogue`, { seller, name: 'First' }, headers)
  const created = await create()
  const url = pathOf(created.headers.location ?? '')
  t.match(created, { status: 201, headers: { etag: await tagOf(clerk, url) } }, 'a POST ignores If-Match')
  t.match(await create(), { status: 201, headers: { etag: created.headers.etag } }, 'its repeat too')
  const change = (ifMatch = '', more = {}) =>
    write(clerk, 'PUT', url, { seller, name: randomUUID() }, { 'if-match': ifMatch, ...more })
  const changed = await change(created.headers.etag, {
    prefer: 'return=representation'
  })
  t.match(changed, { status: 200, headers: { etag: await tagOf(clerk, url) } })
  const plain = await change(changed.headers.etag)
  t.equal(plain.status, 204)
  t.equal(plain.headers.etag, undefined)
  t.equal((await change(changed.headers.etag)).status, 412)
})

t.test('an unchanged poll of orders is 304, not stored, and in the audit record', async (t) => {
  const { order } = await g.submitted()
  // Records share their subjects from this number on.
  for (let more = 1; more < 10; more++) await g.submitted()
  const records = async () =>
    (await app.sql`select count(*)::int as n, count(same_as)::int as same from audit_events`)[0] as {
      n: number
      same: number
    }
  const url = `${orders}/orders?status=SUBMITTED&updatedSince=2020-01-01`
  const first = await provider.get(url, 200)
  t.equal(first.headers['cache-control'], 'no-store')
  const poll = () =>
    provider.send({ method: 'GET', url, headers: { 'if-none-match': first.headers.etag ?? '' } })
  const before = await records()
  const { status, body, headers } = await poll()
  t.equal(status, 304)
  t.equal(body, undefined)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers['content-length'], undefined)
  t.ok(headers['x-updated-until'])
  t.same(await records(), { n: before.n + 1, same: before.same + 1 }, 'refers to the record of the first')
  const read = await tagOf(nurse, order)
  const at = await records()
  t.equal(
    (await nurse.send({ method: 'HEAD', url: pathOf(order), headers: { 'if-none-match': read } })).status,
    304
  )
  t.equal(
    (await write(nurse, 'PATCH', pathOf(order), moveTo('CANCELLED'), { 'if-match': '"9.x"' })).status,
    412
  )
  t.equal((await records()).n, at.n + 2, 'reads with 304 and refused changes are recorded')
  await nurse.patch(pathOf(order), [{ op: 'replace', path: '/priority', value: true }], 204)
  t.match(await poll(), { status: 200, body: { length: first.body.length } })
})

t.test('writes that know nothing of revisions change them', async (t) => {
  const { sql } = app
  const changes: { url: string; who?: Caller; change: () => Promise<unknown>; isChanged?: boolean }[] = [
    { url: g.monitor, change: () => sql`update catalogue_items set description = 'x'` },
    { url: g.catalogue, change: () => sql`update catalogues set name = name || 'x'` },
    { url: g.buyer, change: () => sql`update parties set email = 'x@example.org'` },
    {
      url: g.contract,
      change: () => sql`update contract_buyers set position = position, buyer_id = buyer_id`,
      isChanged: false
    },
    { url: g.contract, change: () => sql`update contracts set reminder_days = 7` },
    { url: g.contract, change: () => sql`delete from contract_buyers` },
    { url: g.line, who: nurse, change: () => sql`update order_lines set action = 'REPAIR'` }
  ]
  for (const [at, { url, who = clerk, change, isChanged = true }] of changes.entries()) {
    const revision = async () => (await tagOf(who, url)).split('.')[0]
    const before = await revision()
    await change()
    t.equal((await revision()) !== before, isChanged, `${url} ${at}`)
  }
})
