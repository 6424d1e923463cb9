import t from 'tap'
import type { Executor } from '../../src/db/driver/query.js'
import { testApp, testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import { recordStatements, type Sent } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf, transitionTo, world } from '../fixtures/world.js'

const all = 'expand=parties,orderLines&expand=items'

const app = await testApp(t)

t.test('expanded resources equal the responses at their URLs', async (t) => {
  const w = await world(app)
  const { order, lines } = await w.submitted(2)
  const draft = await w.createDraft({ seller: w.otherSeller })
  const id = (url: string) => url.slice(-36)

  async function assertExpanded(caller: Caller, path: string, urls: string[], what: string) {
    const { body } = await caller.get(path, 200)
    t.same(Object.keys(body.expanded).sort(), [...urls].sort(), what)
    for (const [url, resource] of Object.entries(body.expanded))
      t.same(resource, (await caller.get(pathOf(url), 200)).body, `${what}: ${url}`)
    return body
  }

  const family = [w.buyer, w.seller, ...lines, w.monitor]
  for (const [name, caller] of Object.entries({ nurse: w.nurse, provider: w.provider })) {
    const single = (await caller.get(pathOf(order), 200)).body
    const { expanded, ...others } = await assertExpanded(caller, `${pathOf(order)}?${all}`, family, name)
    t.same(others, single, 'the order is as without')
    const plain = (await caller.get(`${pathOf(order)}/details`, 200)).body
    const details = await assertExpanded(caller, `${pathOf(order)}/details?${all}`, family, name)
    t.same(details, { ...plain, expanded })
    await assertExpanded(caller, `${pathOf(order)}/details?form=flat&${all}`, family, name)
    const listed = (await caller.get(`${orders}/orders`, 200)).body
    const inList = name === 'nurse' ? [...family, w.otherSeller] : family
    const body = await assertExpanded(caller, `${orders}/orders?${all}`, inList, `${name}, list`)
    t.same(body.entries, listed, 'the entries are as without')
  }
  const only = (part: string) => `${pathOf(order)}?expand=${part}`
  await assertExpanded(w.nurse, only('parties'), [w.buyer, w.seller], 'parties')
  await assertExpanded(w.nurse, only('orderLines'), lines, 'lines')
  await assertExpanded(w.nurse, only('items'), [w.monitor], 'items')
  await assertExpanded(w.nurse, `${pathOf(draft)}?${all}`, [w.buyer, w.otherSeller], 'a draft without lines')
  t.same((await w.otherNurse.get(`${orders}/orders?${all}`, 200)).body, { entries: [], expanded: {} })
  await w.otherNurse.get(only('parties'), 404)
  for (const path of [only('receiver'), only(''), `${orders}/orders?expand=parties,x`])
    t.match(await w.nurse.get(path), { status: 400, body: { code: 'invalid-query' } }, path)

  t.test('resources that the caller may not read are absent', async () => {
    const reader = (...permissions: string[]) =>
      app.as('Provider', organization('provider'), { permissions: ['Order.read', ...permissions] })
    const seen: [permission: string, urls: string[]][] = [
      ['Order.read', []],
      ['Party.read', [w.buyer, w.seller]],
      ['OrderLine.read', lines],
      ['CatalogueItem.read', [w.monitor]]
    ]
    for (const [permission, urls] of seen)
      for (const path of [pathOf(order), `${pathOf(order)}/details`, `${orders}/orders`])
        await assertExpanded(reader(permission), `${path}?${all}`, urls, `${permission} ${path}`)
    // The catalogue is sold. Its former seller does not see the items any more.
    await app.sql`update catalogues set seller_id = ${id(w.otherSeller)} where id = ${id(w.catalogue)}`
    await w.provider.get(pathOf(w.monitor), 404)
    const others = family.filter((url) => url !== w.monitor)
    await assertExpanded(w.provider, `${pathOf(order)}?${all}`, others, 'a sold item')
    await assertExpanded(w.nurse, `${pathOf(order)}?${all}`, family, 'a sold item, to the buyer')
  })
})

t.test('an order includes resources in the sequence of its references', async (t) => {
  const w = await world(app)
  const items = [w.monitor, await w.addModel({ model: 'A' }), await w.addModel({ model: 'B' })].reverse()
  const order = await w.createDraft()
  for (const item of items) await w.addLine(order, { item })
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  for (const caller of [w.nurse, w.provider])
    for (const path of [pathOf(order), `${pathOf(order)}/details`]) {
      const { body } = await caller.get(`${path}?expand=items,parties`, 200)
      t.same(Object.keys(body.expanded), [...items, w.buyer, w.seller], path)
    }
})

t.test('a list is expanded with a bounded number of statements', async (t) => {
  const w = await world(app)
  let sent = 0
  const client = app.app.db.$client
  const send: Executor['unsafe'] = client.unsafe.bind(client)
  const value: Executor['unsafe'] = (...query) => {
    sent++
    return send(...query)
  }
  t.intercept(client, 'unsafe', { value })
  const request = async () => {
    sent = 0
    await w.nurse.get(`${orders}/orders?${all}`, 200)
    return sent
  }
  // Timers of webhooks and the outbox also send statements. The lowest of three counts is that of
  // the request.
  const statements = async () => Math.min(await request(), await request(), await request())
  await w.submitted()
  const before = await statements()
  for (let at = 0; at < 6; at++) await w.submitted(2)
  t.equal(await statements(), before)
})

t.test('a page with its expanded resources stays within its byte limit', async (t) => {
  const bytes = 20_000
  const { w } = await testWorld(t, {}, undefined, { limits: { pageBytes: bytes } })
  const made: string[] = []
  for (let at = 0; at < 12; at++) made.unshift((await w.submitted(5)).order.slice(-36))
  const pages = await pagesAt(w.provider, `${orders}/orders?${all}`)
  for (const { body } of pages) {
    t.ok(JSON.stringify(body).length <= bytes)
    for (const { id } of body.entries) {
      const { body: lines } = await w.provider.get(
        `${orders}/order-lines?order=${encodeURIComponent(`http://127.0.0.1:3000${orders}/order/${id}`)}`,
        200
      )
      for (const line of lines) {
        const { allowedStatuses, ...listed } =
          body.expanded[`http://127.0.0.1:3000${orders}/order-line/${line.id}`]
        t.same(listed, line)
      }
    }
  }
  t.same(idsOf(pages.flatMap(({ body }) => body.entries)), made)
  t.ok(pages.length > 1, `${pages.length} pages`)
})

t.test('order lines are counted before they are loaded, and loaded once for a page', async (t) => {
  const { app, w } = await testWorld(t)
  const { lines } = await w.submitted(2)
  const [count, linesOfEach] = [10, 50]
  for (let at = 1; at < count; at++) await w.submitted()
  await app.sql`insert into order_lines (id, order_id, item_id, status, action, created_at)
    select gen_random_uuid(), orders.id, item_id, order_lines.status, action, order_lines.created_at
    from orders, order_lines, generate_series(1, ${linesOfEach}::int)
    where order_lines.id = ${lines[0]?.slice(-36) ?? ''}`
  const sent = recordStatements(app.app)
  const idsOf = ({ parameters }: Sent) => String(parameters[0]).split(',').length
  for (let [path, left] = [`${orders}/orders?${all}`, count]; left > 0; ) {
    sent.length = 0
    const response = await w.nurse.get(path, 200)
    const shown = response.body.entries.length
    // The page itself reads the lines of open orders for their attention.
    const ofLines = sent.filter(({ text }) => /from "?order_lines/.test(text) && !/from orders\b/.test(text))
    t.same(ofLines.map(idsOf), [left, shown], 'no line is loaded that is not shown')
    left -= shown
    path = left > 0 ? nextOf(response) : ''
  }
})

t.test('an expanded order is audited like the order', async (t) => {
  const { nurse, submitted } = await world(app)
  const { order } = await submitted()
  await nurse.get(pathOf(order), 200)
  await nurse.get(`${pathOf(order)}?${all}`, 200)
  const rows = await app.sql`select patients, orders from audit_events
      where operation = 'getOrder' and ${order.slice(-36)}::uuid = any(orders) order by id`
  t.equal(rows.length, 2)
  t.same(rows[1], rows[0])
})
