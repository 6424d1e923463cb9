import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { setCopiedColumns } from '../fixtures/copies.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { buffersOf, recordStatements } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders, patient, world } from '../fixtures/world.js'

const list = `${orders}/order-lines`

interface Line {
  id: string
}

/** A server, and a function that copies an order as if it had been made that often. */
async function manyOrders(t: Test) {
  const app = await testApp(t)
  const w = await world(app)
  const idOf = (url: string) => url.split('/').at(-1) ?? ''
  const columnsOf = async (table: string, but: string) =>
    (
      await app.sql`select string_agg(quote_ident(attname), ', ') as names from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
          and attname <> all(${but.split(' ')})`
    )[0]?.names
  const orderColumns = await columnsOf('orders', 'id number')
  const lineColumns = await columnsOf('order_lines', 'id order_id')
  async function copy(url: string, times: number, withLines: boolean): Promise<void> {
    await app.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx.unsafe(
        `create temp table copied on commit drop as
           select gen_random_uuid() as id, ${orderColumns} from orders, generate_series(1, $2::int) where id = $1`,
        [idOf(url), times]
      )
      await tx.unsafe(`insert into orders (id, ${orderColumns}) select id, ${orderColumns} from copied`)
      if (!withLines) return
      await tx.unsafe(
        `insert into order_lines (id, order_id, ${lineColumns})
           select gen_random_uuid(), made.id, ${lineColumns} from (select id from copied) made,
             (select ${lineColumns} from order_lines where order_id = $1) lines`,
        [idOf(url)]
      )
    })
  }
  return { app, w, copy, idOf }
}

/** Follows the Links of a list. Returns its lines, and the number of its pages. */
async function readAll(caller: Caller, query: string): Promise<{ lines: Line[]; pages: number }> {
  const pages = await pagesAt(caller, `${list}?${query}`)
  return { lines: pages.flatMap(({ body }) => body), pages: pages.length }
}

t.test('pages of order lines have each line once, order by order', async (t) => {
  const { app, w, copy } = await manyOrders(t)
  const { order } = await w.submitted(3)
  await w.submitted(2)
  await copy(order, 350, true)
  // Orders whose lines a filter leaves out, more than are looked at at once.
  await copy(order, 1100, false)
  const stored =
    await app.sql`select l.id from order_lines l join orders o on o.id = l.order_id order by o.id, l.id`
  const ids = stored.map(({ id }) => id)
  for (const caller of [w.nurse, w.provider])
    for (const query of [
      '',
      'limit=1000',
      'limit=301',
      'status=SUBMITTED&limit=999',
      `patient=${patient('p1')}&limit=500`,
      `item=${w.monitor}&limit=400`
    ]) {
      const { lines, pages } = await readAll(caller, query)
      t.same(
        lines.map(({ id }) => id),
        ids,
        query
      )
      t.ok(pages > 1)
    }
  t.same((await readAll(w.nurse, 'status=FULFILLED')).lines, [])
  for (const caller of [w.otherNurse, w.otherProvider]) t.same((await readAll(caller, '')).lines, [])
})

t.test('a list of order lines does not pass over those of others', async (t) => {
  const { app, w, copy, idOf } = await manyOrders(t)
  const { order, lines } = await w.submitted()
  await copy(order, 10_000, true)
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update orders set buyer_id = ${idOf(w.otherBuyer)}, seller_id = ${idOf(w.otherSeller)},
      patient = concat(patient, id) where id <> ${idOf(order)}`
  })
  await setCopiedColumns(app)
  await vacuum(app.sql, 'full analyze')
  const sent = recordStatements(app.app)
  for (const caller of [w.nurse, w.provider])
    for (const query of [
      '',
      'status=SUBMITTED',
      `patient=${patient('p1')}`,
      `order=${order}`,
      `item=${w.monitor}`,
      `item=${w.monitor}&patient=${patient('p1')}`,
      `item=${w.monitor}&order=${order}`
    ]) {
      sent.length = 0
      const { body } = await caller.get(`${list}?${query}`, 200)
      t.same(
        body.map(({ id }: Line) => id),
        lines.map(idOf)
      )
      const ofLines = sent.filter(({ text }) => text.includes('select order_lines.*'))
      t.equal(ofLines.length, 1)
      for (const each of ofLines) {
        const buffers = await buffersOf(app.sql, each)
        t.ok(buffers < 100, `${query}: ${buffers} buffers`)
      }
    }
})

t.test('a page of order lines does not read many more orders than it has lines', async (t) => {
  const { app, w, copy } = await manyOrders(t)
  const { order } = await w.submitted(2)
  await copy(order, 2000, true)
  await vacuum(app.sql, 'analyze')
  const sent = recordStatements(app.app)
  for (const caller of [w.nurse, w.provider]) {
    sent.length = 0
    t.equal((await caller.get(`${list}?limit=10`, 200)).body.length, 10)
    for (const each of sent.filter(({ text }) => text.includes('select order_lines.*'))) {
      const buffers = await buffersOf(app.sql, each)
      t.ok(buffers < 50, `${buffers} buffers`)
    }
  }
})
