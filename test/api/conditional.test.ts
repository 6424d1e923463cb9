import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { annotation, contract, device, moreDevices } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { add, catalogue, orders, party, pathOf, replace, transitionTo } from '../fixtures/world.js'

const app = await testApp(t)
const g = await populatedWorld(app)
const { clerk, nurse, provider, seller } = g

type Verb = 'post' | 'put' | 'patch'
const tagOf = async (who: Caller, url: string, headers: Record<string, string> = {}) =>
  (await who.get(url.replace(/^https?:..[^/]+/, ''), undefined, headers)).headers.etag ?? ''
const ifMatch = (tag = '') => ({ 'if-match': tag })

t.test('exactly one of several writers with the same If-Match succeeds', async (t) => {
  const note = (text: string) => [add('/notes/-', { note: text })]
  interface Race {
    url: string
    who?: Caller
    verb?: Verb
    body: (text: string) => unknown
  }
  const races: Race[] = [
    { url: g.order, who: nurse, verb: 'patch', body: note },
    { url: g.otherSeller, body: (name) => ({ ...party('other-provider', 'SELLER'), name }) },
    { url: g.contract, body: (name) => ({ ...contract(g), name }) },
    { url: g.catalogue, body: (name) => ({ ...moreDevices(g), name }) },
    { url: g.monitor, body: (name) => ({ ...device(g), name }) },
    { url: g.annotation, body: (name) => ({ ...annotation(g), name }) }
  ]
  for (const { url, who = clerk, verb = 'put', body } of races)
    for (let round = 0; round < 5; round++) {
      const tag = ifMatch(await tagOf(who, url))
      const texts = ['a', 'b', 'c', 'd'].map((text) => `${text} ${round}`)
      const responses = await Promise.all(
        texts.map((text) => who[verb](pathOf(url), body(text), undefined, tag))
      )
      t.same(responses.map(({ status }) => status).sort(), [204, 412, 412, 412], `${url}, round ${round}`)
    }
  for (let round = 0; round < 5; round++) {
    const { lines } = await g.submitted()
    const line = lines[0] ?? ''
    const tag = ifMatch(await tagOf(provider, line))
    const responses = await Promise.all([
      provider.patch(pathOf(line), transitionTo('FULFILLED'), undefined, tag),
      nurse.patch(pathOf(line), transitionTo('CANCELLED'), undefined, tag),
      provider.patch(pathOf(line), transitionTo('UNFULFILLED'), undefined, tag)
    ])
    t.same(responses.map(({ status }) => status).sort(), [204, 412, 412], `line, round ${round}`)
  }
})

t.test('If-Match compares revisions by strong comparison', async (t) => {
  const url = pathOf(g.catalogue)
  const put = (tag: string, path = url) =>
    clerk.put(path, { seller, name: randomUUID(), status: 'ACTIVE' }, undefined, ifMatch(tag))
  const cases: [sent: (tag: string) => string, status: number][] = [
    [(tag) => tag, 204],
    [(tag) => `"x.y" , ${tag}`, 204],
    [() => '*', 204],
    [(tag) => `W/${tag}`, 412],
    [(tag) => tag.replaceAll('"', ''), 412],
    [() => '', 412],
    [() => '"0.x"', 412],
    [() => '"*"', 412]
  ]
  for (const [sent, status] of cases) {
    const tag = sent(await tagOf(clerk, url))
    t.equal((await put(tag)).status, status, tag)
  }
  t.equal((await put(await tagOf(clerk, g.monitor))).status, 412, 'the tag of another resource')
  t.equal((await put('*', `${catalogue}/catalogue/${randomUUID()}`)).status, 404)
  t.match(await put('"x.y"'), { status: 412, body: { code: 'precondition-failed', errors: undefined } })
  const { headers } = await clerk.get(`${catalogue}/catalogues`, 200)
  t.equal((await put(headers.etag ?? '')).status, 412, 'the tag of a list')
})

t.test('the language, the caller and the query change the tag but not the revision in it', async (t) => {
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
    t.equal((await provider.patch(pathOf(order), [], undefined, ifMatch(tag))).status, 204)
  }
})

t.test('a line has its own revision, and its changes also change the revision of the order', async (t) => {
  const { order, lines } = await g.submitted(2)
  const [first = '', second = ''] = lines
  const before = [await tagOf(nurse, order), await tagOf(provider, first), await tagOf(provider, second)]
  await provider.patch(pathOf(first), transitionTo('FULFILLED'), 204)
  t.not(await tagOf(nurse, order), before[0])
  t.not(await tagOf(provider, first), before[1])
  t.equal(await tagOf(provider, second), before[2])
  t.match(await nurse.patch(pathOf(order), transitionTo('CANCELLED'), undefined, ifMatch(before[0])), {
    status: 412,
    headers: { 'cache-control': 'no-store' }
  })
  await nurse.patch(pathOf(second), transitionTo('CANCELLED'), 204, ifMatch(before[2]))
  const draft = await g.createDraft()
  const stale = await tagOf(nurse, draft)
  await g.addLine(draft)
  await nurse.delete(pathOf(draft), 412, ifMatch(stale))
})

t.test('only a response with the preferred resource has a tag, that of its GET', async (t) => {
  const headers = { prefer: 'return=representation', 'idempotency-key': randomUUID(), 'if-match': '"x.y"' }
  const create = () => clerk.post(`${catalogue}/catalogue`, { seller, name: 'First' }, 201, headers)
  const created = await create()
  const url = pathOf(created.headers.location ?? '')
  t.match(created, { status: 201, headers: { etag: await tagOf(clerk, url) } }, 'a POST ignores If-Match')
  t.match(await create(), { status: 201, headers: { etag: created.headers.etag } }, 'its repeat too')
  const change = (tag = '', more = {}) =>
    clerk.put(url, { seller, name: randomUUID() }, undefined, { ...ifMatch(tag), ...more })
  const changed = await change(created.headers.etag, { prefer: headers.prefer })
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
  const poll = () => provider.get(url, undefined, { 'if-none-match': first.headers.etag ?? '' })
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
  await nurse.patch(pathOf(order), transitionTo('CANCELLED'), 412, ifMatch('"9.x"'))
  t.equal((await records()).n, at.n + 2, 'reads with 304 and refused changes are recorded')
  await nurse.patch(pathOf(order), [replace('/priority', true)], 204)
  t.match(await poll(), { status: 200, body: { length: first.body.length } })
})

t.test('writes without If-Match change the revision', async (t) => {
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
