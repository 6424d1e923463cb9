import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf, patient, transitionTo } from '../fixtures/world.js'

const lines = (more: Record<string, string>) =>
  `${orders}/order-lines?${new URLSearchParams({ patient: patient('p1'), ...more })}`

t.test('a list of order lines includes their items as the caller reads them', async (t) => {
  const { app, w } = await testWorld(t)
  await w.submitted(2)
  const plain = (await w.nurse.get(lines({}), 200)).body
  t.ok(Array.isArray(plain), 'an array without expand')
  for (const caller of [w.nurse, w.provider]) {
    const { body } = await caller.get(lines({ expand: 'items' }), 200)
    t.same(body, {
      entries: plain,
      expanded: { [w.monitor]: (await caller.get(pathOf(w.monitor), 200)).body }
    })
  }
  const none = { entries: [], expanded: {} }
  t.same((await w.otherNurse.get(lines({ expand: 'items' }), 200)).body, none)
  const unknown = w.monitor.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  t.same((await w.nurse.get(lines({ expand: 'items,items', item: unknown }), 200)).body, none)

  const limited = { permissions: ['OrderLine.read'] }
  const reader = app.as('MonitoringResponsible', organization('region'), limited)
  t.same((await reader.get(lines({ expand: 'items' }), 200)).body, { entries: plain, expanded: {} })

  const elsewhere = await w.addCatalogue({ seller: w.otherSeller })
  await app.sql`update catalogue_items set catalogue_id = ${elsewhere.split('/').at(-1) ?? ''}
    where id = ${w.monitor.split('/').at(-1) ?? ''}`
  await w.provider.get(pathOf(w.monitor), 404)
  t.same((await w.provider.get(lines({ expand: 'items' }), 200)).body.expanded, {}, 'an item that was sold')

  for (const expand of ['parties', 'items,', ''])
    t.equal(outcome(await w.nurse.get(lines({ expand }))), '400 invalid-query /expand', expand)
})

t.test('a list of order lines includes their orders as the caller reads them', async (t) => {
  const { app, w } = await testWorld(t)
  const [open, other] = [await w.submitted(2), await w.submitted()]
  await w.provider.patch(pathOf(other.order), transitionTo('ACCEPTED'), 204)
  await w.provider.patch(pathOf(other.order), transitionTo('FULFILLED'), 204)
  for (const caller of [w.nurse, w.provider]) {
    const { body } = await caller.get(lines({ expand: 'orders,items' }), 200)
    t.equal(body.entries.length, 3)
    const urls = [open.order, other.order, w.monitor]
    t.same(Object.keys(body.expanded).sort(), [...urls].sort())
    for (const url of urls) t.same(body.expanded[url], (await caller.get(pathOf(url), 200)).body)
  }
  const limited = { permissions: ['OrderLine.read'] }
  const reader = app.as('MonitoringResponsible', organization('region'), limited)
  t.same((await reader.get(lines({ expand: 'orders' }), 200)).body.expanded, {})
})

t.test('pages with items stay within their byte limit, and the cursor keeps its expansion', async (t) => {
  const bytes = 4096
  const { app, w } = await testWorld(t, {}, undefined, { limits: { pageBytes: bytes } })
  const items = [w.monitor]
  for (let at = 0; at < 6; at++) {
    const description = 'x'.repeat(1000)
    const item = await w.addModel({ name: `Scale ${at}`, model: `S${at}`, description })
    items.push(item)
  }
  await w.createDraft({ orderLines: items.map((item) => ({ item, action: 'DELIVER' })) })
  const pages = await pagesAt(w.nurse, lines({ expand: 'items' }))
  const seen = pages.flatMap(({ body }) => {
    t.ok(JSON.stringify(body).length <= bytes, `${JSON.stringify(body).length} bytes`)
    return body.entries.map(({ item }: { item: string }) => {
      t.ok(body.expanded[item], 'each entry has its item')
      return item
    })
  })
  t.same(seen, items)
  t.ok(pages.length > 2, `${pages.length} pages`)

  const { lines: others } = await w.submitted(2)
  await app.sql`update orders set notes = ${app.sql.json([{ note: 'x'.repeat(1000) }])}`
  const withOrders = (await pagesAt(w.nurse, lines({ expand: 'orders' }))).flatMap(({ body }) => {
    t.ok(JSON.stringify(body).length <= bytes, `${JSON.stringify(body).length} bytes`)
    for (const { order } of body.entries) t.ok(body.expanded[order], 'each entry has its order')
    return body.entries
  })
  t.equal(withOrders.length, items.length + others.length)

  for (let at = 0; at < 5; at++) await w.submitted()
  const sent = recordStatements(app.app)
  await w.nurse.get(lines({ expand: 'orders' }), 200)
  const loaded = sent.find(({ text }) => /"notes".* from "orders"/s.test(text))
  const ids = String(loaded?.parameters).match(/[0-9a-f-]{36}/g) ?? []
  t.ok(ids.length > 0 && ids.length < 4, `${ids.length} orders are loaded for a page`)
})
