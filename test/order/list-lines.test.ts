import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { copyOrder, copyRow, setCopiedColumns } from '../fixtures/copies.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders, patient } from '../fixtures/world.js'

const list = `${orders}/order-lines`

interface Line {
  id: string
}

/** Follows the Links of a list. Returns its lines, and the number of its pages. */
async function readAll(caller: Caller, query: string): Promise<{ lines: Line[]; pages: number }> {
  const pages = await pagesAt(caller, `${list}?${query}`)
  return { lines: pages.flatMap(({ body }) => body), pages: pages.length }
}

t.test('pages of order lines have each line once, order by order', async (t) => {
  const { app, w } = await testWorld(t)
  const { order } = await w.submitted(3)
  await w.submitted(2)
  await copyOrder(app, order, 350)
  // Orders whose lines a filter leaves out, more than one statement scans.
  await copyRow(app, 'orders', idOf(order), 1100)
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
      t.same(idsOf(lines), ids, query)
      t.ok(pages > 1)
    }
  t.same((await readAll(w.nurse, 'status=FULFILLED')).lines, [])
  for (const caller of [w.otherNurse, w.otherProvider]) t.same((await readAll(caller, '')).lines, [])
})

t.test('a list of order lines does not scan lines of other organizations', async (t) => {
  const { app, w } = await testWorld(t)
  const { order, lines } = await w.submitted()
  await copyOrder(app, order, 10_000, {
    order: {
      ...{ buyer_id: `'${idOf(w.otherBuyer)}'`, seller_id: `'${idOf(w.otherSeller)}'` },
      patient: 'concat(t.patient, n)'
    }
  })
  await setCopiedColumns(app)
  await vacuum(app.sql, 'full analyze')
  const isCheap = cheapReads(app, /select order_lines\.\*/, 100)
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
      const count = await isCheap(t, query, async () => {
        const { body } = await caller.get(`${list}?${query}`, 200)
        t.same(idsOf(body), lines.map(idOf))
      })
      t.equal(count, 1)
    }
})

t.test('a page of order lines does not read many more orders than it has lines', async (t) => {
  const { app, w } = await testWorld(t)
  const { order } = await w.submitted(2)
  await copyOrder(app, order, 2000)
  await vacuum(app.sql, 'analyze')
  const isCheap = cheapReads(app, /select order_lines\.\*/, 50)
  for (const caller of [w.nurse, w.provider])
    await isCheap(t, 'a page', async () => {
      t.equal((await caller.get(`${list}?limit=10`, 200)).body.length, 10)
    })
})
