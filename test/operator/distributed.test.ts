import { Readable } from 'node:stream'
import type { Sql } from 'postgres'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { erasePatient } from '../../src/operator/patient-erase.js'
import { retainOrders } from '../../src/operator/retention-orders.js'
import { ofOneServer } from '../fixtures/app.js'
import { deliver } from '../fixtures/devices.js'
import { countWaiting } from '../fixtures/distributed.js'
import { backdate, type CommandResult, operate, plantEntry } from '../fixtures/operator.js'
import { distributedApp, reachOnePartition } from '../fixtures/partitions.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, patient, world } from '../fixtures/world.js'

const p = patient('distributed')
const erasing = ['patient', 'erase', p, '--confirm']
const removing = ['retention', 'orders', '--closed-months', '12', '--confirm']
const run = (url: string, args: readonly string[]) => operate(url, args, { isDistributed: true })

/** Runs a command and ends its session when it waits for the row of an order. */
async function interruptAt(sql: Sql, order: string, command: () => Promise<CommandResult>) {
  let result: Promise<CommandResult> | undefined
  await sql.begin(async (tx) => {
    await tx`select from orders where id = ${order} for update`
    result = command()
    while ((await countWaiting(sql)) === 0);
    await tx`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query ~ 'for update' and pid <> pg_backend_pid()`
    await result
  })
  return result
}

/** Delivers devices of the patient in some orders, whose ids it returns in order. */
async function deliverSome(test: Awaited<ReturnType<typeof distributedApp>>, count: number) {
  const w = await world(test)
  const ids: string[] = []
  for (let at = 0; at < count; at++)
    ids.push(idOf((await deliver(test, w, { patient: p, serial: `SN-${at}`, ended: 'RETURNED' })).order))
  return { w, ids: ids.sort() }
}

t.test('a patient is erased order by order', async (t) => {
  const test = await distributedApp(t)
  const { sql, databaseUrl } = test
  const { w, ids } = await deliverSome(test, 4)
  await plantEntry(w, p)
  const erased = async () => ({
    orders: (await sql`select id from orders where patient <> ${p} order by id`).map(({ id }) => id),
    devices: (await sql`select order_id from devices where serial_number is null order by 1`).map(
      ({ order_id }) => order_id
    ),
    recorded: (
      await sql`select unnest(orders) as id from audit_events where operation = 'erasePatient' order by 1`
    ).flatMap(({ id }) => id ?? []),
    entries: (await sql`select from black_list_entries`).length
  })

  t.test('until it is interrupted', async (t) => {
    const result = await interruptAt(sql, ids[2] ?? '', () => run(databaseUrl, erasing))
    t.match(result, {
      code: 1,
      output: /^Erased the patient from 2 of 4 orders until it failed\. Run it again to finish\.\n./
    })
    const done = ids.slice(0, 2)
    t.same(await erased(), { orders: done, devices: done, recorded: done, entries: 1 })
  })

  t.test('by the next run to the end', async (t) => {
    t.match(await run(databaseUrl, erasing), {
      code: 0,
      output: /^Erased the patient from 2 orders and 0 audit records, and removed 1 black list entry\.\n$/
    })
    t.same(await erased(), { orders: ids, devices: ids, recorded: ids, entries: 0 })
    const patients = await sql`select distinct patient from orders`
    t.equal(patients.length, 1, 'the orders still belong together')
    t.match(await run(databaseUrl, erasing), { code: 1, output: /^Nothing was found/ })
  })

  t.test('and apart from later orders', async (t) => {
    await deliver(test, w, { patient: p, ended: 'RETURNED' })
    t.match(await run(databaseUrl, erasing), { code: 0 })
    t.equal((await sql`select distinct patient from orders`).length, 2)
  })
})

t.test('old orders are removed one by one', async (t) => {
  const test = await distributedApp(t)
  const { sql, databaseUrl } = test
  const { w, ids } = await deliverSome(test, 4)
  const { order } = await deliver(test, w, { patient: p })
  await backdate(sql, 13)
  await sql`insert into reminders (subject_id, kind, due_at) select order_id, 'LATE', now() from devices`
  const inUse = idOf(order)
  const stored = async () =>
    Object.fromEntries(
      await Promise.all(
        [
          'orders.id',
          'order_lines.order_id',
          'trace_lines.order_id',
          'devices.order_id',
          'reminders.subject_id'
        ].map(async (column) => {
          const [table = '', key = ''] = column.split('.')
          const rows = await sql.unsafe(`select distinct ${key} as id from ${table} order by 1`)
          return [table, rows.map(({ id }) => id)] as const
        })
      )
    )
  const all = (left: readonly string[]) => ({
    orders: left,
    order_lines: left,
    trace_lines: left,
    devices: left,
    reminders: left
  })

  t.test('until it is interrupted', async (t) => {
    const result = await interruptAt(sql, ids[2] ?? '', () => run(databaseUrl, removing))
    t.match(result, {
      code: 1,
      output: /^Removed 2 orders until it failed\. Run it again to remove the others\.\n./
    })
    t.same(await stored(), all([...ids.slice(2), inUse].sort()))
  })

  t.test('by the next run to the end', async (t) => {
    t.same(await run(databaseUrl, removing), {
      code: 0,
      output: 'Removed 2 orders.\n1 order with a device in use stays.\n'
    })
    t.same(await stored(), all([inUse]))
    const records = await sql`select orders from audit_events where operation = 'removeOldOrders'`
    t.same(
      records.map(({ orders }) => orders).sort(),
      ids.map((id) => [id])
    )
    const { body } = await w.nurse.get(`${orders}/order`, 200)
    t.same(
      body.map(({ id }: { id: string }) => id),
      [inUse],
      'the API serves the other'
    )
  })
})

t.test('each change reaches one partition of each table', ofOneServer, async (t) => {
  const test = await distributedApp(t)
  const { sql, databaseUrl } = test
  await deliverSome(test, 2)
  await backdate(sql, 13)
  const { db, close } = connect({ url: databaseUrl, maxConnections: 1, statementTimeoutMs: 60_000 })
  t.teardown(close)
  const sent = recordStatements({ db })
  const context = { db, isDistributed: true, eventsKeptDays: 90, input: Readable.from(''), print: () => {} }
  await erasePatient([p, '--confirm'])(context)
  await retainOrders(['--closed-months', '12', '--confirm'])(context)
  const changes = sent.filter(({ text }) =>
    /^\s*(update|delete from|insert into) "?(order|trace_)|for update$/.test(text)
  )
  t.equal(new Set(changes.map(({ text }) => text)).size, 8)
  await reachOnePartition(t, sql, changes)
})
