import type { Sql } from 'postgres'
import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { plantDelivery } from '../fixtures/devices.js'
import { backdate, type CommandResult, operate, plantEntry } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { countWaiting } from '../fixtures/waiting.js'
import { patient, world } from '../fixtures/world.js'

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
    ids.push(
      idOf((await plantDelivery(test, w, { patient: p, serial: `SN-${at}`, ended: 'RETURNED' })).order)
    )
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

  t.test('that is interrupted later has already erased the patient from all orders', async (t) => {
    t.match(await interruptAt(test, 'black_list_entries', entry, erasing), { code: 1 })
    t.same(await erased(), { orders: ids, devices: ids, recorded: ids, entries: 1 })
    t.equal((await sql`select distinct patient from orders`).length, 1, 'the orders still belong together')
  })

  t.test('is completed by the next run', async (t) => {
    t.match(await operate(databaseUrl, erasing), {
      code: 0,
      output: /^Erased the patient from 0 orders and removed 1 black list entry\.\n$/
    })
    t.same(await erased(), { orders: ids, devices: ids, recorded: ids, entries: 0 })
    t.match(await operate(databaseUrl, erasing), { code: 1, output: /^Nothing was found/ })
  })

  t.test('keeps later orders of the patient apart', async (t) => {
    await plantDelivery(test, w, { patient: p, ended: 'RETURNED' })
    t.match(await operate(databaseUrl, erasing), { code: 0 })
    t.equal((await sql`select distinct patient from orders`).length, 2)
  })
})

/** Adds copies of an order, with its lines and trace. */
const copyOrder = (sql: Sql, order: string, count: number) =>
  sql.begin(async (tx) => {
    await tx`alter table trace_lines disable trigger user`
    await tx`create temp table copies on commit drop as
      select gen_random_uuid() as id from generate_series(1, ${count})`
    for (const [table, key] of [
      ['orders', 'id'],
      ['order_lines', 'order_id'],
      ['trace_lines', 'order_id']
    ] as const) {
      const columns = await tx`select column_name as name from information_schema.columns
        where table_name = ${table} and is_generated = 'NEVER' and column_name <> 'number' order by ordinal_position`
      const names = columns.map(({ name }) => name)
      const copyOf = (name: string) => `md5(copies.id::text || r.${name})::uuid`
      const values = names.map((name) =>
        name === key ? 'copies.id' : ['id', 'order_line_id'].includes(name) ? copyOf(name) : `r.${name}`
      )
      await tx.unsafe(
        `insert into ${table} (${names}) select ${values} from ${table} r, copies where r.${key} = '${order}'`
      )
    }
    await tx`alter table trace_lines enable trigger user`
  })

t.test('a removal of old orders that is interrupted leaves whole orders', async (t) => {
  const { test, ids } = await withReturned(t, 1)
  const { sql, databaseUrl } = test
  await copyOrder(sql, ids[0] ?? '', 450)
  await backdate(sql, 24)
  const counts = async () => {
    const [row] = await sql`select
      (select count(*)::int from orders) as orders,
      (select count(distinct order_id)::int from order_lines) as with_lines,
      (select count(distinct order_id)::int from trace_lines) as with_traces,
      (select coalesce(sum(cardinality(orders)), 0)::int from audit_events where operation = 'removeOldOrders') as recorded`
    return row
  }
  // In the third batch.
  const [last] = await sql`select id from orders order by id desc limit 1`
  t.match(await interruptAt(test, 'orders', last?.id, removing), {
    code: 1,
    output: /^Removed 400 orders until it failed\. Run the command again to remove the other orders\.\n./
  })
  t.same(await counts(), { orders: 51, with_lines: 51, with_traces: 51, recorded: 400 })
  t.same(await operate(databaseUrl, removing), { code: 0, output: 'Removed 51 orders.\n' })
  t.same(await counts(), { orders: 0, with_lines: 0, with_traces: 0, recorded: 451 })
})
