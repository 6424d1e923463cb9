import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { copyRow } from '../fixtures/copies.js'
import { recordDevices } from '../fixtures/devices.js'
import { nextOf } from '../fixtures/events/reading.js'
import { excel } from '../fixtures/excel/client.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { newWorkbook, subscription } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { add, catalogue, orders, pathOf, patient, replace } from '../fixtures/world.js'

const app = await testApp(t)
const w = await populatedWorld(app)
const { clerk, nurse, provider, buyer } = w

/** Rows of each list that a test copies, in addition to those of the world. */
const COPIES = 13

const agreed = (hour: number) => [
  add('/agreedFrom', `2999-01-01T0${hour}:00:00Z`),
  add('/agreedTo', `2999-01-01T0${hour + 1}:00:00Z`)
]

const draft = await w.createDraft()
for (const [order, submitted] of [
  [w.order, "date_bin('1 s', now(), 'epoch') - n / 3 * interval '1 h'"],
  [draft, 'null']
] as const)
  await copyRow(app, 'orders', idOf(order), COPIES, {
    priority: 'n % 4 > 0',
    submitted_at: submitted,
    answer_due_at: 'null',
    delivery_due_at: "case when n % 4 > 0 then date_bin('1 s', now(), 'epoch') - n / 3 * interval '1 h' end",
    changed_at: "date_bin('1 s', now(), 'epoch') - n / 3 * interval '1 h'"
  })
for (let count = 0; count < 4; count++) {
  const { order, lines } = await w.submitted(4)
  for (const [at, line] of lines.entries())
    await provider.patch(pathOf(line), agreed(Math.floor((at + count) / 3)), 204)
  await recordDevices(app.sql, order, {})
}
for (let count = 0; count < COPIES; count++)
  await nurse.patch(pathOf(w.order), [replace('/priority', count % 2 === 0)], 204)
await copyRow(app, 'catalogue_items', idOf(w.monitor), COPIES, {
  name: "case when n < 9 then 'Item ' || n / 2 else repeat('Å', 4000) || n end"
})
await app.sql`insert into white_list_entries (id, buyer_id, item_id, created_at)
  select gen_random_uuid(), ${idOf(buyer)}, id, now() from catalogue_items on conflict do nothing`
await copyRow(app, 'black_list_entries', idOf(w.blackEntry), COPIES, { item_id: 'gen_random_uuid()' })
await copyRow(app, 'annotations', idOf(w.annotation), COPIES, { code: 'n::text' })
await copyRow(app, 'parties', idOf(w.account), COPIES)
await copyRow(app, 'contracts', idOf(w.contract), COPIES)
await app.sql`insert into contract_buyers
  select (jsonb_populate_record(b, jsonb_build_object('contract_id', c.id))).* from contracts c, contract_buyers b
  where b.contract_id = ${idOf(w.contract)} on conflict do nothing`
await copyRow(app, 'catalogues', idOf(w.catalogue), COPIES)
for (let count = 0; count < COPIES; count++) await nurse.create(`${orders}/subscription`, subscription)
await clerk.send({ method: 'POST', url: `${excel}/catalogue`, ...(await newWorkbook()) })
const [made] = await app.sql`select id from catalogue_imports`
await copyRow(app, 'catalogue_imports', made?.id, COPIES, {
  catalogue_id: '(select id from catalogues order by id offset n % 3 limit 1)',
  recorded_at: "t.recorded_at - (n / 3 + 1) * interval '1 ms'"
})
const [event] = await app.sql`select id from audit_events where cardinality(patients) > 0 limit 1`
await copyRow(app, 'audit_events', event?.id, COPIES, { recorded: "t.recorded - n / 3 * interval '1 ms'" })

/** A list, and the statement by which a user changes an entry that was just read. */
type ListCase = readonly [path: string, callers: readonly Caller[], query: object, change?: string]

const submit = "update orders set status = 'SUBMITTED', submitted_at = now() where id = $1"
const change = {
  priority: 'update orders set priority = not priority where id = $1',
  '-submitted': submit,
  '-updated': 'update orders set changed_at = now() where id = $1',
  '-created': submit,
  due: "update orders set delivery_due_at = coalesce(delivery_due_at, now()) + interval '1 h' where id = $1"
}
const reschedule = `update order_lines set agreed_from = agreed_from + interval '30 min' where id = $1`
const renameItem = `update catalogue_items set name = case when name < 'Item 2' then 'Z' else 'A' end || name
  where id = $1`
const rename = (table: string) => `update ${table} set name = 'A' || name where id = $1`
const sides = [nurse, provider]
const listed = { patient: patient('listed') }

const lists: readonly ListCase[] = [
  ...Object.entries(change).flatMap(([sort, statement]) =>
    [
      {},
      { status: 'DRAFT,SUBMITTED,ACCEPTED' },
      { patient: patient('p1') },
      { updatedSince: '2020-01-01' }
    ].map((filters) => [`${orders}/orders`, sides, { sort, ...filters }, statement] as const)
  ),
  [`${orders}/order-lines`, sides, {}, reschedule],
  [`${orders}/order-lines`, sides, { inUse: 'true' }, reschedule],
  [`${orders}/order-lines`, sides, { agreedFrom: '2999-01-01', sort: 'agreedFrom' }, reschedule],
  [`${orders}/trace-lines`, sides, { order: w.order }],
  [`${orders}/audit-events`, [nurse], {}],
  [`${orders}/parties`, [clerk], {}, rename('parties')],
  [`${orders}/contracts`, [clerk, provider], {}, rename('contracts')],
  [`${orders}/subscriptions`, [nurse], {}, "update subscriptions set status = 'PAUSED' where id = $1"],
  [`${orders}/events`, sides, {}],
  [`${catalogue}/events`, [clerk, provider], {}],
  [`${catalogue}/catalogues`, [clerk, provider], {}, rename('catalogues')],
  [`${catalogue}/catalogue-items`, [clerk, provider], {}, renameItem],
  [`${catalogue}/catalogue-items`, [nurse], { buyer }, renameItem],
  [`${catalogue}/annotations`, [clerk], {}, rename('annotations')],
  [`${catalogue}/white-lists`, [clerk], { buyer }, 'delete from white_list_entries where id = $1'],
  [`${catalogue}/black-lists`, [nurse], listed, 'delete from black_list_entries where id = $1'],
  [`${catalogue}/value-sets`, [clerk], {}],
  [`${excel}/imports`, [clerk], {}]
]

const keysOf = (body: { id?: string; name: string }[]) => body.map(({ id, name }) => id ?? name)

for (const [path, callers, query, statement] of lists)
  t.test(`${path} ${JSON.stringify(query)} returns each entry once while entries change`, async (t) => {
    for (const caller of callers) {
      const url = `${path}?${new URLSearchParams({ ...query })}`
      const expected = keysOf((await caller.get(url, 200)).body)
      const changed = new Set<string>()
      const seen: string[] = []
      let pages = 0
      for (let next: string | undefined = `${url}&limit=${Math.ceil(expected.length / 5)}`; next; pages++) {
        const response = await caller.get(next, 200)
        const keys = keysOf(response.body)
        seen.push(...keys)
        next = response.headers.link && keys.length > 0 ? nextOf(response) : undefined
        const last = keys.at(-1)
        if (statement === undefined || last === undefined) continue
        await app.sql.unsafe(statement, [last])
        changed.add(last)
      }
      t.ok(pages >= 4, `${pages} pages of ${expected.length} entries`)
      const isUnchanged = (key: string) => expected.includes(key) && !changed.has(key)
      t.same(seen.filter(isUnchanged), expected.filter(isUnchanged), 'each once, in order')
      t.same(
        expected.filter((key) => !seen.includes(key)),
        [],
        'all'
      )
    }
  })

t.test('a page sorted by agreed time ends at its last line even if a time changes meanwhile', async (t) => {
  const url = `${orders}/order-lines?agreedFrom=2999-01-01&sort=agreedFrom`
  const all = keysOf((await nurse.get(url, 200)).body)
  const moved = all.slice(0, 2)
  const client = app.app.db.$client
  const { unsafe } = client
  const restore = t.intercept(client, 'unsafe', {
    value: (...query: Parameters<typeof unsafe>) => {
      const pending = unsafe(...query)
      if (!query[0].includes('from "order_lines" where')) return pending
      const late = app.sql`update order_lines set agreed_from = '2999-01-01T20:00:00Z',
        agreed_to = '2999-01-01T21:00:00Z' where id in ${app.sql(moved)}`
      return { ...pending, values: () => late.then(() => pending.values()) }
    }
  }).restore
  const page = await nurse.get(`${url}&limit=5`, 200)
  restore()
  const rest = keysOf((await nurse.get(nextOf(page).replace('limit=5', 'limit=100'), 200)).body)
  const listed = [...keysOf(page.body), ...rest]
  t.same(
    listed.filter((key) => !moved.includes(key)),
    all.slice(2)
  )
})
