import type { Sql } from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { copyRow } from '../fixtures/copies.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { buffersOf, recordStatements, type Sent } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { catalogue, world } from '../fixtures/world.js'

/** Rows of others. */
const MANY = 1000

/** SQL for the id of a copy, by the id of the row. */
const copyOf = (id: string) => `overlay('${id}' placing lpad(n::text, 6, '0') from 31)::uuid`

/** What the statement of a page costs. */
async function buffersOfPage(sql: Sql, sent: readonly Sent[]): Promise<number> {
  const page = sent.find(({ text }) => /\border by\b.* limit \$/s.test(text))
  if (!page) throw new Error('No statement of a page was sent.')
  return buffersOf(sql, page)
}

// The plans are those of one server.
t.test('lists by words look up nothing of what they leave out', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const [annotation] = await app.sql`
    insert into annotations (id, item_id, buyer_id, name, system, code, display, event_count, created_at)
    values (gen_random_uuid(), ${idOf(w.monitor)}, ${idOf(w.buyer)}, 'category', 'https://codes.example', 'bp', 'Pressure', 1, now())
    returning id`
  const [seller, list] = [idOf(w.otherSeller), idOf(w.catalogue)]
  await copyRow(app, 'parties', seller, MANY, {
    id: copyOf(seller),
    organization: "concat(t.organization, '/', n - n % 3)"
  })
  await copyRow(app, 'catalogues', list, MANY, { id: copyOf(list), seller_id: copyOf(seller) })
  await copyRow(app, 'catalogue_items', idOf(w.monitor), MANY, {
    id: copyOf(idOf(w.monitor)),
    catalogue_id: copyOf(list)
  })
  await copyRow(app, 'annotations', annotation?.id, MANY, { item_id: copyOf(idOf(w.monitor)) })
  await vacuum(app.sql, 'analyze')
  const pages = async (table: string) =>
    Number((await app.sql`select relpages from pg_class where oid = ${table}::regclass`)[0]?.relpages)
  const sent = recordStatements(app.app)
  for (const [caller, list, table] of [
    [w.nurse, 'catalogue-items', 'catalogue_items'],
    [w.clerk, 'annotations', 'annotations'],
    [w.provider, 'catalogues', 'catalogues']
  ] as const) {
    sent.length = 0
    const word = list === 'catalogues' ? 'devices' : 'pressure'
    const { body } = await caller.get(`${catalogue}/${list}?q=${word}&limit=10`, 200)
    t.equal(body.length, list === 'catalogues' ? 1 : 10)
    const buffers = await buffersOfPage(app.sql, sent)
    const most = 100 + 2 * (await pages(table))
    t.ok(buffers < most, `${list}: ${buffers} buffers, less than ${most}`)
  }
})

// The plans are those of one server.
t.test('a search of what a buyer can order reads its white list, not the catalogues', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const [list, monitor, buyer] = [idOf(w.catalogue), idOf(w.monitor), idOf(w.otherBuyer)]
  // Most sellers have few items, and the seller of the buyer many, of which it may order two.
  await copyRow(app, 'catalogues', list, MANY, { id: copyOf(list), seller_id: 'gen_random_uuid()' })
  await copyRow(app, 'catalogue_items', monitor, MANY, { catalogue_id: copyOf(list) })
  await copyRow(app, 'catalogue_items', monitor, 5 * MANY)
  const [entry] = await app.sql`select id from white_list_entries limit 1`
  await copyRow(app, 'white_list_entries', entry?.id, 20 * MANY, {
    buyer_id: `overlay('${buyer}' placing lpad((n % ${MANY})::text, 6, '0') from 31)::uuid`,
    item_id: 'gen_random_uuid()'
  })
  await vacuum(app.sql, 'analyze')
  const sent = recordStatements(app.app)
  for (const query of [
    '',
    `seller=${w.seller}`,
    `seller=${w.seller}&q=pressure`,
    'q=pressure',
    'status=AVAILABLE'
  ]) {
    sent.length = 0
    const { body } = await w.nurse.get(`${catalogue}/catalogue-items?buyer=${w.buyer}&${query}`, 200)
    t.same(idsOf(body), [w.monitor, w.repair].map(idOf), query)
    const buffers = await buffersOfPage(app.sql, sent)
    t.ok(buffers < 100, `${query}: ${buffers} buffers`)
  }
})
