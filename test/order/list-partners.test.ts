import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import { copyRow, idOfCopy, setCopiedColumns } from '../fixtures/copies.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders, world } from '../fixtures/world.js'

const sorts = ['-created', '-submitted', '-updated', 'priority', 'due']

t.test('a buyer sees all its orders at a seller, drafts too, newest first', async (t) => {
  const w = await world(await testApp(t))
  const made: string[] = []
  for (let at = 0; at < 3; at++) {
    made.unshift((await w.submitted()).order)
    made.unshift(await w.createDraft())
    await w.createDraft({ seller: w.otherSeller })
  }
  const ids = made.map(idOf)
  const list = async (query: string) =>
    idsOf((await w.nurse.get(`${orders}/orders?seller=${w.seller}&${query}`, 200)).body)
  t.same(await list(''), ids)
  t.same(await list('count=true&limit=100'), ids)
  for (const sort of sorts) t.same((await list(`sort=${sort}`)).sort(), [...ids].sort(), sort)
})

t.test('finds only the orders between two parties', async (t) => {
  const { app, w } = await testWorld(t)
  const id = idOf((await w.submitted()).order)
  // Two large parties, each with many orders with other parties but none between them, and small
  // parties.
  for (const [column, url] of [
    ['buyer_id', w.seller],
    ['seller_id', w.buyer]
  ] as const)
    await copyRow(app, 'orders', id, 10_000, {
      [column]: idOfCopy(idOf(url), 300),
      patient: 'concat(t.patient, n)'
    })
  for (const [small, url] of [
    [w.otherBuyer, 'buyer_id'],
    [w.otherSeller, 'seller_id']
  ] as const)
    await copyRow(app, 'orders', id, 3, { [url]: `'${idOf(small)}'` })
  await setCopiedColumns(app)
  await vacuum(app.sql, 'full analyze orders')
  const isCheap = cheapReads(app, /orders\.\*|count\(\*\)/, 100)
  for (const [caller, filter] of [
    [w.nurse, `seller=${w.otherSeller}`],
    [w.otherNurse, `seller=${w.seller}`],
    [w.provider, `buyer=${w.otherBuyer}`],
    [w.otherProvider, `buyer=${w.buyer}`]
  ] as const)
    for (const query of ['', 'status=SUBMITTED', 'count=true', ...sorts.map((sort) => `sort=${sort}`)])
      await isCheap(t, `${filter} ${query}`, async () => {
        const { body } = await caller.get(`${orders}/orders?${filter}&${query}`, 200)
        t.equal(body.length, 3)
      })
})

t.test('a search by words reads no orders of other organizations if there are few parties', async (t) => {
  const { app, w } = await testWorld(t)
  const { order } = await w.submitted()
  await copyRow(app, 'orders', idOf(order), 10_000, {
    buyer_id: idOfCopy(idOf(w.otherBuyer), 9),
    seller_id: idOfCopy(idOf(w.otherSeller), 9)
  })
  await setCopiedColumns(app)
  await vacuum(app.sql, 'full analyze orders')
  const isCheap = cheapReads(app, /orders\.\*|count\(\*\)/, 100)
  for (const caller of [w.nurse, w.provider])
    for (const query of ['', 'status=SUBMITTED'])
      await isCheap(t, query, async () => {
        const { body } = await caller.get(`${orders}/orders?q=rasmus&${query}`, 200)
        t.match(body, [{ id: idOf(order) }])
      })
})
