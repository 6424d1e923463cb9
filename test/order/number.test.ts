import postgres, { type Sql } from 'postgres'
import t from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase, testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { listOrders } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { add, orders, organization, pathOf, patient } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const { sql } = app
const numberOf = async (url: string): Promise<string> => (await w.nurse.get(pathOf(url), 200)).body.number
const form = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/

t.test('each order has a number, which stays the same', async (t) => {
  const { order } = await w.submitted()
  const draft = await w.createDraft({ number: '0000-0000' })
  const number = await numberOf(order)
  t.match(number, form)
  t.match(await numberOf(draft), form, 'also a draft')
  t.not(await numberOf(draft), '0000-0000')
  t.not(await numberOf(draft), number)
  await w.nurse.patch(pathOf(order), [add('/priority', true)], 204)
  const csvOf = async (caller: Caller) =>
    (await caller.get(`${orders}/order-lines?order=${order}`, 200, { accept: 'text/csv' })).body
  for (const caller of [w.nurse, w.provider]) {
    t.equal((await caller.get(pathOf(order), 200)).body.number, number)
    t.equal((await caller.get(`${pathOf(order)}/details`, 200)).body.order.number, number)
    t.match(
      (await listOrders(caller)).body.find(({ id }: { id: string }) => id === idOf(order)),
      { number }
    )
    t.match(await csvOf(caller), `,${number},`)
  }
  const reader = app.as('Provider', organization('provider'), { permissions: ['OrderLine.read'] })
  t.notMatch(await csvOf(reader), number, 'without the permission to read orders')
})

t.test('q finds an order by its number, in each spelling', async (t) => {
  const name = 'Nummereret'
  const draft = await w.createDraft({ name })
  const { order } = await w.submitted()
  // A number with digits that are read as letters.
  await sql`update orders set number = '01K3-9D10' where id = ${idOf(order)}`
  const find = async (caller: Caller, q: string) => idsOf((await listOrders(caller, { q })).body)
  const number = await numberOf(draft)
  for (const q of [number, number.toLowerCase(), number.replace('-', ''), ` ${number.replace('-', ' ')} `]) {
    t.same(await find(w.nurse, q), [idOf(draft)], q)
    for (const other of [w.provider, w.otherNurse, w.otherProvider]) t.same(await find(other, q), [], q)
  }
  for (const q of ['01k39d10', 'OIK3-9DLO', 'olk3\u20119dio', '01K3 9D1O']) {
    for (const caller of [w.nurse, w.provider]) t.same(await find(caller, q), [idOf(order)], q)
    for (const other of [w.otherNurse, w.otherProvider]) t.same(await find(other, q), [], q)
  }
  for (const q of ['01K3-9D1', '01K3-9D100', '01K3-9D1U']) t.same(await find(w.nurse, q), [], q)
  t.same(await find(w.nurse, 'nummereret'), [idOf(draft)], 'a word is still found')
  t.same(await find(w.nurse, 'numme'), [idOf(draft)])
})

t.test('a name of eight letters is also found as a word', async (t) => {
  const draft = await w.createDraft({ name: 'Sygehjem' })
  t.same((await listOrders(w.nurse, { q: 'sygehjem' })).body.length, 1)
  t.equal((await listOrders(w.nurse, { q: 'sygehjem' })).body[0].id, idOf(draft))
})

/** The order numbers of these counts. */
const numbersOf = async (of: Sql, counts: readonly string[]) =>
  (
    await of<{ number: string }[]>`
      select order_number(n) as number from unnest(${counts}::bigint[]) with ordinality as c (n, at) order by at`
  ).map(({ number }) => number)

t.test('numbers are unique and scattered', async (t) => {
  const counts = new Set(Array.from({ length: 20_000 }, (_, at) => String(at + 1)))
  while (counts.size < 60_000) counts.add(String(Math.floor(Math.random() * 2 ** 40)))
  const numbers = await numbersOf(sql, [...counts, String(2 ** 40 - 1)])
  t.equal(new Set(numbers).size, numbers.length)
  t.ok(numbers.every((number) => form.test(number)))
  const first = numbers.slice(0, 1000)
  for (const half of [first.map((each) => each.slice(0, 4)), first.map((each) => each.slice(5))])
    t.ok(new Set(half).size > 990)
})

t.test('each database draws its own key of the numbers, and creates no number without the key', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  await migrate(url)
  const other = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => other.end())
  const counts = Array.from({ length: 1000 }, (_, at) => String(at + 1))
  const numbers = new Set(await numbersOf(sql, counts))
  t.ok((await numbersOf(other, counts)).filter((number) => numbers.has(number)).length < 3)
  await other`delete from secrets`
  t.same(await numbersOf(other, ['1']), [null])
})

t.test('concurrent creations get different numbers, and a failed one leaves a gap', async (t) => {
  const lastCount = async () => Number((await sql`select last_value from order_numbers`)[0]?.last_value)
  const before = await lastCount()
  const key = (name: string) => ({ 'idempotency-key': name })
  const create = (body: object, headers = {}) => w.nurse.post(`${orders}/order`, body, undefined, headers)
  const made = await Promise.all(Array.from({ length: 20 }, (_, at) => create(w.draft(), key(`k${at}`))))
  t.ok(made.every(({ status }) => status === 201))
  t.equal(await lastCount(), before + 20)

  const [row] = await sql`select id from orders limit 1`
  await t.rejects(
    sql.begin(async (tx) => {
      await tx`insert into orders (id, identifiers, status, priority, notes, buyer_id, seller_id, receiver_name, patient,
          search_text, revision, trace_count, created_at, changed_at)
        select gen_random_uuid(), '[]', 'DRAFT', false, '[]', buyer_id, seller_id, 'R', ${patient('p1')}, '', 1, 0, now(), now()
        from orders where id = ${row?.id}`
      throw new Error('rolled back')
    }),
    'rolled back'
  )
  t.equal(await lastCount(), before + 21)
  const next = await numberOf(await w.createDraft())
  t.equal(await lastCount(), before + 22)
  const [expected] = await sql`select order_number(${before + 22}) as number`
  t.equal(next, expected?.number)
  const [counts] =
    await sql`select count(*)::int as all, count(distinct number)::int as different from orders`
  t.equal(counts?.all, counts?.different)
})
