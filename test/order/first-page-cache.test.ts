import t from 'tap'
import { firstPageCache } from '../../src/order/queries/first-page-cache.js'
import { ofWholeTables, testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { listOrders } from '../fixtures/order-lists.js'
import { moveTo, pathOf, world } from '../fixtures/world.js'

const MINUTE_MS = 60_000
const MAX_BYTES = 32 * 1024 ** 2

t.test('nothing is left of a page ten minutes after its last poll', ofWholeTables, async (t) => {
  const { app, as } = await testApp(t)
  const w = await world({ as })
  await w.submitted()
  const clock = clockOf(t)
  const cache = firstPageCache(app)
  const poll = async () => t.equal((await listOrders(w.provider, {})).body.length, 1)
  await poll()
  t.equal(cache.size, 1)
  clock.pass(9 * MINUTE_MS)
  await poll()
  clock.pass(9 * MINUTE_MS)
  t.equal(cache.size, 1, 'the poll in between keeps it')
  clock.pass(2 * MINUTE_MS)
  t.equal(cache.size, 0)
  t.equal(cache.calculatedSize, 0)
})

t.test('a page is written again only after a change', ofWholeTables, async (t) => {
  const { app, as } = await testApp(t)
  const w = await world({ as })
  await w.submitted()
  const { order } = await w.submitted()
  const cache = firstPageCache(app)
  const shown = async () => (await listOrders(w.provider, {})).body[0].status.code
  await shown()
  for (const [key, page] of cache.entries())
    cache.set(key, {
      ...page,
      rows: page.rows.map(([id, patient, value]) => [
        id,
        patient,
        value,
        Buffer.from('{"status":{"code":"CACHED"}}')
      ])
    })
  t.equal(await shown(), 'CACHED')
  await w.provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)
  t.equal(await shown(), 'ACCEPTED')
})

t.test('cached pages are bounded by their bytes, and the latest stay', async (t) => {
  const cache = firstPageCache({ resourceUrls: {} })
  const page = (bytes: number) => ({
    version: 'v',
    rows: [[Buffer.of(1), Buffer.of(2), null, Buffer.alloc(bytes)]] as const
  })
  for (const name of ['first', 'second', 'third']) cache.set(name, page(0.4 * MAX_BYTES))
  t.same([...cache.keys()], ['third', 'second'])
  t.ok(cache.calculatedSize <= MAX_BYTES)
  cache.set('too large', page(MAX_BYTES))
  t.same([...cache.keys()], ['third', 'second'])
  cache.clear()
})
