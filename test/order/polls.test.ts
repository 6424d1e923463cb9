import postgres from 'postgres'
import t from 'tap'
import { findUpdatedUntil } from '../../src/order/lists/select-orders.js'
import { testWorld } from '../fixtures/app.js'
import { listOrders as list, pagesOf, type Query } from '../fixtures/order-lists.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { countWaiting } from '../fixtures/waiting.js'
import { orders, pathOf, replace } from '../fixtures/world.js'

const { app, w } = await testWorld(t)

t.test('a poll that finds nothing leaves a short audit record', async (t) => {
  await list(w.nurse, { updatedSince: '2999-01-01' })
  const [row] =
    await app.sql`select pg_column_size(e.*) as size from audit_events e where operation = 'listOrder'`
  t.ok(row?.size < 1000, `${row?.size} bytes`)
})

t.test('a repeated list shows each change of any caller', async (t) => {
  for (const name of ['older', 'oldest']) await w.createDraft({ name })
  const [first, second] = [await w.createDraft({ name: 'first' }), await w.createDraft({ name: 'second' })]
  const shown = async () => {
    const { body } = await list(w.nurse, { limit: '2' })
    for (const listed of body) {
      const { allowedStatuses, ...order } = (await w.nurse.get(`${orders}/order/${listed.id}`, 200)).body
      t.same(listed, order)
    }
    return body.map(({ name }: { name: string }) => name)
  }
  t.same(await shown(), ['second', 'first'])
  t.same(await shown(), ['second', 'first'])
  await w.nurse.patch(pathOf(first), [replace('/name', 'by the buyer')], 204)
  t.same(await shown(), ['second', 'by the buyer'])
  await app.sql`update orders set name = 'by the operator' where id = ${idOf(second)}`
  t.same(await shown(), ['by the operator', 'by the buyer'])
  await app.sql`update orders set name = name`
  await shown()
  await w.nurse.delete(pathOf(second), 204)
  t.same(await shown(), ['by the buyer', 'oldest'], 'others that one transaction wrote')
})

t.test('a poll waits for an open transaction that writes', async (t) => {
  const server = postgres(asServerRole(app.databaseUrl), { max: 1, onnotice: () => {} })
  t.teardown(() => server.end())
  await w.nurse.delete(pathOf(await w.createDraft()), 204)
  const ports = { ...app.app, limits: { ...app.app.limits, requestTimeout: 0 } }
  await server.begin(async (tx) => {
    const [row] = await tx`update orders set priority = priority returning now() as begin`
    await app.sql`select pg_sleep(0.01)`
    t.ok(new Date((await findUpdatedUntil(ports)) ?? '') <= row?.begin)
  })
})

t.test('a poll misses no change, however late it commits', async (t) => {
  const [slow, quick] = [await w.createDraft({ name: 'slow' }), await w.createDraft({ name: 'quick' })]
  await app.sql.unsafe(`
    create function wait_if_slow() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return new; end $$;
    create trigger wait_if_slow after insert or update on orders for each row when (new.name = 'slow')
    execute function wait_if_slow()`)
  const poll = async (since: string, query: Query = {}) => {
    const pages = await pagesOf(w.nurse, { updatedSince: since, limit: '1', ...query })
    const until = pages.map(({ headers }) => headers['x-updated-until'])
    t.equal(new Set(until).size, 1, 'all pages have the bound of the first')
    return {
      found: pages.flatMap(({ body }) => body.map((each: { name: string }) => each.name)),
      until: until[0] ?? ''
    }
  }
  const urgent = [replace('/priority', true)]
  const changes = [
    {
      what: 'create',
      late: () => w.createDraft({ name: 'slow' }),
      meanwhile: () => w.createDraft({ name: 'quick' })
    },
    {
      what: 'change',
      late: () => w.nurse.patch(pathOf(slow), urgent, 204),
      meanwhile: () => w.nurse.patch(pathOf(quick), urgent, 204)
    }
  ]
  for (const { what, late, meanwhile } of changes)
    for (const sort of ['-created', '-updated']) {
      await app.sql`update orders set priority = false, changed_at = '2020-01-01' where name <> 'slow'`
      await app.sql`alter table orders disable trigger wait_if_slow`
      await app.sql`update orders set priority = false, changed_at = '2020-01-01' where name = 'slow'`
      await app.sql`alter table orders enable trigger wait_if_slow`
      const { until: begin } = await poll('2021-01-01')
      const waiter = await app.sql.reserve()
      await waiter`select pg_advisory_lock(42)`
      const writing = late()
      while ((await countWaiting(app.sql)) === 0);
      await meanwhile()
      const first = await poll(begin, { sort })
      t.same(first.found, ['quick'], `${what}, ${sort}: what is committed`)
      t.ok(begin <= first.until, `${begin} ${first.until}`)
      await waiter`select pg_advisory_unlock(42)`
      waiter.release()
      await writing
      const second = await poll(first.until, { sort })
      t.ok(second.found.includes('slow'), `${what}, ${sort}: what was late`)
    }
  t.equal((await list(w.nurse)).headers['x-updated-until'], undefined)
})
