import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { copyRow, idOfCopy } from '../fixtures/copies.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { catalogue } from '../fixtures/world.js'

/** Rows of others. */
const MANY = 1000

/** The statement of a page. */
const ofPage = /\border by\b.* limit \$/s

// The plans are those of one server.
t.test('a list by words looks up no values of the items that it leaves out', async (t) => {
  const { app, w } = await testWorld(t)
  const [annotation] = await app.sql`
    insert into annotations (id, item_id, buyer_id, name, system, code, display, event_count, created_at)
    values (gen_random_uuid(), ${idOf(w.monitor)}, ${idOf(w.buyer)}, 'category', 'https://codes.example', 'bp', 'Pressure', 1, now())
    returning id`
  const [seller, list] = [idOf(w.otherSeller), idOf(w.catalogue)]
  await copyRow(app, 'parties', seller, MANY, {
    id: idOfCopy(seller),
    organization: "concat(t.organization, '/', n - n % 3)"
  })
  await copyRow(app, 'catalogues', list, MANY, { id: idOfCopy(list), seller_id: idOfCopy(seller) })
  await copyRow(app, 'catalogue_items', idOf(w.monitor), MANY, {
    id: idOfCopy(idOf(w.monitor)),
    catalogue_id: idOfCopy(list)
  })
  await copyRow(app, 'annotations', annotation?.id, MANY, { item_id: idOfCopy(idOf(w.monitor)) })
  await vacuum(app.sql, 'analyze')
  const pages = async (table: string) =>
    Number((await app.sql`select relpages from pg_class where oid = ${table}::regclass`)[0]?.relpages)
  for (const [caller, list, table] of [
    [w.nurse, 'catalogue-items', 'catalogue_items'],
    [w.clerk, 'annotations', 'annotations'],
    [w.provider, 'catalogues', 'catalogues']
  ] as const) {
    const word = list === 'catalogues' ? 'devices' : 'pressure'
    await cheapReads(app, ofPage, 100 + 2 * (await pages(table)))(t, list, async () => {
      const { body } = await caller.get(`${catalogue}/${list}?q=${word}&limit=10`, 200)
      t.equal(body.length, list === 'catalogues' ? 1 : 10)
    })
  }
})

// The plans are those of one server.
t.test('a search of the items that a buyer can order reads its white list, not the catalogues', async (t) => {
  const { app, w } = await testWorld(t)
  const [list, monitor, buyer] = [idOf(w.catalogue), idOf(w.monitor), idOf(w.otherBuyer)]
  // Most sellers have few items. The seller of the buyer has many, of which the buyer may order
  // two.
  await copyRow(app, 'catalogues', list, MANY, { id: idOfCopy(list), seller_id: 'gen_random_uuid()' })
  await copyRow(app, 'catalogue_items', monitor, MANY, { catalogue_id: idOfCopy(list) })
  await copyRow(app, 'catalogue_items', monitor, 5 * MANY)
  const [entry] = await app.sql`select id from white_list_entries limit 1`
  await copyRow(app, 'white_list_entries', entry?.id, 20 * MANY, {
    buyer_id: idOfCopy(buyer, MANY),
    item_id: 'gen_random_uuid()'
  })
  await vacuum(app.sql, 'analyze')
  const isCheap = cheapReads(app, ofPage, 100)
  for (const query of [
    '',
    `seller=${w.seller}`,
    `seller=${w.seller}&q=pressure`,
    'q=pressure',
    'status=AVAILABLE'
  ])
    await isCheap(t, query, async () => {
      const { body } = await w.nurse.get(`${catalogue}/catalogue-items?buyer=${w.buyer}&${query}`, 200)
      t.same(idsOf(body), [w.monitor, w.repair].map(idOf), query)
    })
})
