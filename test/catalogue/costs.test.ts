import t from 'tap'
import { ofOneServer, testApp } from '../fixtures/app.js'
import { copyRow } from '../fixtures/copied-rows.js'
import { buffersOf, recordStatements } from '../fixtures/sent-statements.js'
import { catalogue, world } from '../fixtures/world.js'

/** Rows of others. */
const MANY = 1000

// The plans are those of one server.
t.test('lists by words look up nothing of what they leave out', ofOneServer, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const idOf = (url: string) => url.split('/').at(-1) ?? ''
  const [annotation] = await app.sql`
    insert into annotations (id, item_id, buyer_id, name, system, code, display, event_count, created_at)
    values (gen_random_uuid(), ${idOf(w.monitor)}, ${idOf(w.buyer)}, 'category', 'https://codes.example', 'bp', 'Pressure', 1, now())
    returning id`
  /** SQL for the id of a copy, by the id of the row. */
  const copyOf = (id: string) => `overlay('${id}' placing lpad(n::text, 6, '0') from 31)::uuid`
  const [seller, list] = [idOf(w.otherSeller), idOf(w.catalogue)]
  await copyRow(app, 'parties', seller, MANY, {
    id: copyOf(seller),
    organization: "concat(t.organization, '/', n - n % 3)"
  })
  await copyRow(app, 'catalogues', list, MANY, { id: copyOf(list), seller_id: copyOf(seller) })
  await copyRow(app, 'catalogue_items', idOf(w.monitor), MANY, {
    ...{ id: copyOf(idOf(w.monitor)), catalogue_id: copyOf(list) }
  })
  await copyRow(app, 'annotations', annotation?.id, MANY, { item_id: copyOf(idOf(w.monitor)) })
  await app.sql`vacuum analyze`
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
    const [search] = sent.filter(({ text }) => /page_bytes/.test(text))
    const buffers = search ? await buffersOf(app.sql, search) : Number.POSITIVE_INFINITY
    const most = 100 + 2 * (await pages(table))
    t.ok(buffers < most, `${list}: ${buffers} buffers, less than ${most}`)
  }
})
