import type { Sql } from 'postgres'
import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { deliver } from '../fixtures/devices.js'
import { backdate, type CommandResult, operate, plantEntry } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { countWaiting } from '../fixtures/waiting.js'
import { orders, patient, world } from '../fixtures/world.js'

const p = patient('interrupted')
const erasing = ['patient', 'erase', p, '--confirm']
const removing = ['retention', 'orders', '--closed-months', '12', '--confirm']

/** Runs a command and ends its session when it waits for a row of a table. */
async function interruptAt(
  { sql, databaseUrl }: TestApp,
  table: string,
  id: string,
  command: readonly string[]
): Promise<CommandResult | undefined> {
  let result: CommandResult | undefined
  await sql.begin(async (tx) => {
    await tx`select from ${tx(table)} where id = ${id} for update`
    const running = operate(databaseUrl, command)
    while ((await countWaiting(sql)) === 0);
    await tx`select pg_terminate_backend(pid) from pg_locks where not granted and pid <> pg_backend_pid()
      and pid in (select pid from pg_stat_activity where datname = current_database())`
    result = await running
  })
  return result
}

/** A server with some orders of the patient, whose devices were returned; their ids in order. */
async function withReturned(t: Test, count: number) {
  const test = await testApp(t)
  const w = await world(test)
  const ids: string[] = []
  for (let at = 0; at < count; at++)
    ids.push(idOf((await deliver(test, w, { patient: p, serial: `SN-${at}`, ended: 'RETURNED' })).order))
  return { test, w, ids: ids.sort() }
}

const idsOf = async (sql: Sql, query: string): Promise<string[]> =>
  (await sql.unsafe(`${query} order by 1`)).map(({ id }) => id)

t.test('an erasure', async (t) => {
  const { test, w, ids } = await withReturned(t, 4)
  const { sql, databaseUrl } = test
  const entry = idOf(await plantEntry(w, p))
  const erased = async () => ({
    orders: await idsOf(sql, `select id from orders where patient <> '${p}'`),
    devices: await idsOf(sql, 'select order_id as id from devices where serial_number is null'),
    recorded: (
      await idsOf(sql, `select unnest(orders) as id from audit_events where operation = 'erasePatient'`)
    ).filter((id) => id !== null),
    entries: (await sql`select from black_list_entries`).length
  })

  t.test('that is interrupted at an order changes nothing', async (t) => {
    t.match(await interruptAt(test, 'orders', ids[2] ?? '', erasing), { code: 1 })
    t.same(await erased(), { orders: [], devices: [], recorded: [], entries: 1 })
  })

  t.test('that is interrupted later has erased the patient from all orders', async (t) => {
    t.match(await interruptAt(test, 'black_list_entries', entry, erasing), { code: 1 })
    t.same(await erased(), { orders: ids, devices: ids, recorded: ids, entries: 1 })
    t.equal((await sql`select distinct patient from orders`).length, 1, 'the orders still belong together')
  })

  t.test('is finished by the next run', async (t) => {
    t.match(await operate(databaseUrl, erasing), {
      code: 0,
      output: /^Erased the patient from 0 orders and 0 audit records, and removed 1 black list entry\.\n$/
    })
    t.same(await erased(), { orders: ids, devices: ids, recorded: ids, entries: 0 })
    t.match(await operate(databaseUrl, erasing), { code: 1, output: /^Nothing was found/ })
  })

  t.test('keeps later orders of the patient apart', async (t) => {
    await deliver(test, w, { patient: p, ended: 'RETURNED' })
    t.match(await operate(databaseUrl, erasing), { code: 0 })
    t.equal((await sql`select distinct patient from orders`).length, 2)
  })
})

t.test('a removal of old orders', async (t) => {
  const { test, w, ids } = await withReturned(t, 4)
  const { sql, databaseUrl } = test
  const inUse = idOf((await deliver(test, w, { patient: p })).order)
  await backdate(sql, 13)
  await sql`insert into reminders (subject_id, kind, due_at) select order_id, 'LATE', now() from devices`
  const stored = async () => ({
    orders: await idsOf(sql, 'select id from orders'),
    lines: await idsOf(sql, 'select distinct order_id as id from order_lines'),
    traces: await idsOf(sql, 'select distinct order_id as id from trace_lines'),
    devices: await idsOf(sql, 'select distinct order_id as id from devices'),
    reminders: await idsOf(sql, 'select distinct subject_id as id from reminders')
  })
  const all = (left: readonly string[]) => ({
    ...{ orders: left, lines: left, traces: left, devices: left, reminders: left }
  })

  t.test('that is interrupted removes no part of an order', async (t) => {
    t.match(await interruptAt(test, 'orders', ids[2] ?? '', removing), {
      code: 1,
      output: /^Removed 0 orders until it failed\. Run it again to remove the others\.\n./
    })
    t.same(await stored(), all([...ids, inUse].sort()))
  })

  t.test('is finished by the next run', async (t) => {
    t.same(await operate(databaseUrl, removing), {
      code: 0,
      output: 'Removed 4 orders.\n1 order with a device in use stays.\n'
    })
    t.same(await stored(), all([inUse]))
    const records = await sql`select orders from audit_events where operation = 'removeOldOrders'`
    t.same(
      records.map((record) => record.orders.sort()),
      [ids]
    )
    const { body } = await w.nurse.get(`${orders}/order`, 200)
    t.same(
      body.map(({ id }: { id: string }) => id),
      [inUse],
      'the API serves the other order'
    )
  })
})
