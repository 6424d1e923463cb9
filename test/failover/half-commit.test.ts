import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { nextOf, readOn, textOf } from '../fixtures/events/reading.js'
import { submitHalfway } from '../fixtures/half-commit.js'
import { orders, pathOf, world } from '../fixtures/world.js'

/*
 * A distributed database commits on the coordinator first, and then on the workers. A failure
 * between leaves the events of a change visible, and its order as it was.
 */

const skip =
  process.env.TEST_CLUSTER !== 'true' && 'TEST_DATABASE_URL is not the coordinator of a Citus cluster'

const idOf = (url: string) => url.split('/').at(-1) ?? ''

t.test('a feed does not pass an event before its worker has committed', { skip }, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const order = await w.createDraft()
  const { next } = await readOn(w.provider)
  const { finish } = await submitHalfway(app.sql, idOf(order))
  await w.submitted()
  const early = await w.provider.get(next, 200)
  t.same(early.body, [], 'neither the event nor what follows it')
  await finish()
  const { events } = await readOn(w.provider, nextOf(early))
  t.same(events.filter(({ subject }) => subject === order).map(textOf), ['order.submitted DRAFT SUBMITTED'])
  t.ok(events.length > 1, 'what followed')
})

t.test('a poll does not pass a change before its worker has committed', { skip }, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const order = await w.createDraft()
  const poll = async (since: string) => {
    const { headers, body } = await w.provider.get(`${orders}/orders?updatedSince=${since}`, 200)
    return { until: headers['x-updated-until'] ?? '', ids: body.map(({ id }: { id: string }) => id) }
  }
  const { until: since } = await poll('2021-01-01T00:00:00.000Z')
  const { finish } = await submitHalfway(app.sql, idOf(order))
  const early = await poll(since)
  t.same(early, { until: since, ids: [] })
  await finish()
  const late = await poll(early.until)
  t.same(late.ids, [idOf(order)])
})

t.test('every change of an order is committed in two phases, and by its worker only', { skip }, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const commits = async () => Number((await app.sql`select count(*) from pg_dist_transaction`)[0]?.count)
  const order = await w.createDraft()
  const changes = [
    () => w.nurse.patch(pathOf(order), [{ op: 'replace', path: '/priority', value: true }], 204),
    () => w.addLine(order),
    () => w.nurse.delete(pathOf(order), 204)
  ]
  for (const change of changes) {
    const before = await commits()
    await change()
    t.equal(await commits(), before + 1, String(change))
  }
})
